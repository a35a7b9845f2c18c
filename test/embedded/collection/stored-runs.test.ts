import { expect, test } from 'bun:test'
import { readStoredRuns } from '../../../src/embedded/collection/stored-runs.ts'
import type { Probe } from '../../../src/embedded/collection/target.ts'
import type { Series } from '../../../src/embedded/promql/reader.ts'
import { AppError } from '../../../src/errors.ts'
import type { Matcher } from '../../../src/promql/matchers.ts'

const clock = { now: () => 3_600_000 }
const site = { organizationId: 1, name: 'site', labels: {}, target: 'a.example:80', intervalMs: 30_000 } as Probe

const named = (name: string, values: number[], more = {}): Series => ({
  labels: { __name__: name, instance: 'a.example:80', job: 'site', ...more },
  timesMs: Float64Array.from(values, (_, at) => at * 30_000),
  values: Float64Array.from(values),
})

/** A store with these series. */
const storeOf = (...series: Series[]) => ({
  selectSmall: (_: number, matchers: readonly Matcher[]) =>
    series.filter(({ labels }) => matchers.every(({ name, fits }) => fits(labels[name] ?? ''))),
})

test('the stored runs of a probe are those of its own series, without their end', () => {
  const other = named('probe_success', [0, 0, 0], { region: 'north' })
  const store = storeOf(other, named('probe_success', [1, 0, NaN]), named('probe_duration_seconds', [0.2, 0.3, NaN]))
  expect(readStoredRuns({ store, clock }, site)).toEqual([
    { atMs: 0, durationMs: 200, ok: true, error: null },
    { atMs: 30_000, durationMs: 300, ok: false, error: null },
  ])
})

test('of more than 20 stored runs the newest 20 are read', () => {
  const ones = Array.from({ length: 30 }, () => 1)
  const runs = readStoredRuns(
    { store: storeOf(named('probe_success', ones), named('probe_duration_seconds', ones)), clock },
    site,
  )
  expect(runs.map(({ atMs }) => atMs / 30_000)).toEqual(Array.from({ length: 20 }, (_, at) => at + 10))
})

test('there are no stored runs where there are no samples, or they are too many or damaged', () => {
  const damaged = () => {
    throw new AppError('unavailable', 'samples.db is damaged')
  }
  for (const selectSmall of [() => [], () => undefined, damaged])
    expect(readStoredRuns({ store: { selectSmall }, clock }, site)).toEqual([])
})
