import { describe, expect, test } from 'bun:test'
import type { QueryRunner } from '../../src/sources/query-session.ts'
import type { Measurement } from '../../src/sli/sli.ts'
import { planSli } from '../../src/sli/plan/plan.ts'
import { measureHistory } from '../../src/preview/stepped-history.ts'
import { sumBetween } from '../../src/slos/arithmetic/running-sums.ts'
import type { Grid, RangeSeries } from '../../src/sources/source.ts'

const endSeconds = 1_795_255_380 // no multiple of five minutes
const day = 86_400

/** Query runner that answers expressions, by a part of their text, with one value per step, `shiftSeconds` early. */
function answering(table: Record<string, number[]>, shiftSeconds = 0) {
  const sent: string[] = []
  const runner: QueryRunner = {
    instant: () => Promise.reject(new Error('not queried')),
    range: (_, expression, { startSeconds, stepSeconds }: Grid): Promise<RangeSeries[]> => {
      sent.push(expression)
      const found = Object.entries(table).find(([key]) => expression.includes(key))?.[1] ?? []
      const times = Array.from(
        { length: day / stepSeconds },
        (_step, at) => startSeconds + at * stepSeconds - shiftSeconds,
      )
      return Promise.resolve(
        found.map((value, at) => ({ metric: { at: `${at}` }, values: times.map((time) => [time, `${value}`]) })),
      )
    },
  }
  return { runner, sent }
}

const nothing = { good_query: null, bad_query: null, total_query: null, threshold: null, threshold_op: null }
const measured: Measurement = {
  result: { value: 0, largest: 0 },
  method: 'widen',
  expression: '',
  counts: null,
  coverageRatio: 1,
  notes: [],
}

async function pastDay(
  runner: QueryRunner,
  query: string,
  { unit = 'ratio', own = {} }: { unit?: 'ratio' | 'percent'; own?: Partial<Measurement> } = {},
) {
  const plan = planSli({ ...nothing, metric_query: query, window_method: 'auto' })
  const options = { plan, own: { ...measured, ...own }, unit, startSeconds: endSeconds - day, endSeconds }
  return sumBetween(await measureHistory(runner, day, options), endSeconds - day, endSeconds)
}

const ratio = 'sum(rate(ok[1m])) / sum(rate(all[1m]))'

describe('a day of steps', () => {
  test.each([0, 60, 299])('adds up, also where the source answers %d s early', async (shift) => {
    // over the five minutes up to each step
    const { runner } = answering({ '/': [0.75], ok: [900], all: [1200] }, shift)
    expect(await pastDay(runner, ratio)).toEqual({ good: 3 * day, total: 4 * day, coveredSeconds: day })
  })

  test.each([
    [
      'failures',
      '1 - sum(rate(bad[1m])) / sum(rate(all[1m]))',
      { '/': [0.75], bad: [300], all: [1200] },
      3 * day,
      4 * day,
    ],
    ['no failures', '1 - sum(rate(bad[1m])) / sum(rate(all[1m]))', { '/': [], all: [1200] }, 4 * day, 4 * day],
    ['counts', 'sum(increase(ok[1m])) / sum(increase(all[1m]))', { '/': [0.75], ok: [3], all: [4] }, 864, 1152],
    ['sides of several series', ratio, { '/': [0.7, 0.8], ok: [300, 600], all: [600, 600] }, 3 * day, 4 * day],
    ['no traffic', ratio, { '/': [NaN], ok: [0], all: [0] }, 0, 0],
    ['more good than all', ratio, { '/': [1.02], ok: [30_600], all: [30_000] }, 100 * day, 100 * day],
    ['sides that are not the whole', ratio, { '/': [0.5], ok: [3], all: [4] }, 0.5 * day, day],
    ['sides that count no events', 'job:ok:rate / job:all:rate', { ' / ': [0.75], ok: [3], all: [4] }, 0.75 * day, day],
    ['values of several series', 'avg_over_time(up[5m])', { up: [0.5, 1] }, 0.75 * day, day],
  ])('with %s', async (_, query, table, good, total) => {
    const sum = await pastDay(answering(table).runner, query)
    expect([sum.good, sum.total]).toEqual([expect.closeTo(good, 6), expect.closeTo(total, 6)])
    expect(sum.coveredSeconds).toBe(day)
  })

  test('reads percentages as such, and leaves out what is no share', async () => {
    const percent = await pastDay(answering({ up: [75] }).runner, '100 * avg_over_time(up[5m])', { unit: 'percent' })
    expect(percent).toEqual({ good: 0.75 * day, total: day, coveredSeconds: day })
    expect(await pastDay(answering({ up: [75] }).runner, 'avg_over_time(up[5m])')).toMatchObject({ coveredSeconds: 0 })
  })

  test('sends a query that only answered as stored as it is stored', async () => {
    const { runner, sent } = answering({ '[1m]': [0.75] })
    expect(await pastDay(runner, ratio, { own: { method: 'as_stored' } })).toMatchObject({
      good: 0.75 * day,
      total: day,
    })
    expect(sent).toEqual([ratio])
  })

  test('that nobody measured is not covered, and was queried twice', async () => {
    const { runner, sent } = answering({})
    expect(await pastDay(runner, 'avg_over_time(up[5m])')).toEqual({ good: 0, total: 0, coveredSeconds: 0 })
    expect(sent).toEqual(['avg_over_time(up[300s])', 'avg_over_time(up[3600s])'])
  })
})
