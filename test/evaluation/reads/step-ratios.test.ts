import { afterEach, beforeEach, expect, test } from 'bun:test'
import { stepRatios } from '../../../src/evaluation/reads/step-ratios-store.ts'
import { knownAround } from '../../../src/evaluation/reads/series.ts'
import type { Resolution } from '../../../src/ledger/bucket.ts'
import { type LedgerBucket, putBuckets } from '../../../src/ledger/ledger-store.ts'
import { sliOfSum, sumWindows, type Window } from '../../../src/ledger/window-sums.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { countingReads } from '../../support/counting-reads.ts'
import { testStartSeconds } from '../../support/evaluations.ts'
import { seeded } from '../../support/seeded.ts'
import { checkout } from '../../support/slo-calls.ts'

const hour = 3600
const day = 86_400
const nowSeconds = testStartSeconds + 1234
const sloIds = [1, 2, 3, 4]

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
  await nines.join('ada')
  for (const id of sloIds) await nines.call('POST', '/api/v1/slos', { ...checkout, name: `SLO ${id}` })
})
afterEach(() => nines.close())

/** What `stepRatios` is a shorter way to: each step of each SLO as any window is summed. */
async function plainRatios(slos: { id: number; revision: number }[], steps: Window[]): Promise<(number | null)[]> {
  const windows = slos.flatMap(({ id: sloId, revision }) =>
    steps.map(({ startSeconds, endSeconds }) => ({ sloId, revision, startSeconds, endSeconds, isStep: true })),
  )
  const sums = await sumWindows(nines.app.db.read, windows, nowSeconds)
  return sums.map((sum, n) => sliOfSum(sum, (windows[n]?.endSeconds ?? 0) - (windows[n]?.startSeconds ?? 0)).ratio)
}

/** Buckets of four days, of which some lack, cover a part, have no traffic, or more good events than there were. */
function someBuckets(random: () => number): LedgerBucket[] {
  const firstSeconds = Math.floor(testStartSeconds / day) * day - 4 * day
  const lengths = [60, hour, day] as const
  return sloIds.flatMap((sloId) =>
    lengths.flatMap((resolution) => {
      const count = Math.floor((nowSeconds - firstSeconds) / resolution)
      return Array.from({ length: count }, (_, n) => n).flatMap((n): LedgerBucket[] => {
        if (random() < 0.3) return []
        const total = random() < 0.1 ? 0 : random() * 1000
        const good = total * (random() < 0.1 ? 1.5 : random()) * (random() < 0.05 ? -1 : 1)
        const covered = [resolution, resolution / 2, resolution / 2 - 1, 0][Math.floor(random() * 8)] ?? resolution
        const lead = { leadGood: good / 3, leadTotal: total / 3 }
        const startSeconds = firstSeconds + n * resolution
        return [{ sloId, revision: 1, resolution, startSeconds, good, total, coveredSeconds: covered, ...lead }]
      })
    }),
  )
}

test.each([1, 2, 3])('the SLIs of steps are those of their windows, to the last bit (seed %p)', async (seed) => {
  const random = seeded(seed)
  await nines.app.db.write.transaction().execute((trx) => putBuckets(trx, someBuckets(random)))
  const slos = sloIds.map((id) => ({ id, revision: id === 4 ? 2 : 1 })) // of its present revision the fourth has nothing
  for (const stepSeconds of [60, 1800, hour, 2 * hour, day]) {
    const firstSeconds = Math.floor(testStartSeconds / day) * day - (stepSeconds < hour ? 0 : 4 * day)
    const starts = Array.from({ length: Math.ceil((nowSeconds - firstSeconds) / stepSeconds) }, (_, n) => n)
    const around = starts.map((n) => knownAround(firstSeconds + n * stepSeconds, stepSeconds, nowSeconds))
    const steps = [...around, { startSeconds: Math.floor(nowSeconds / hour) * hour, endSeconds: nowSeconds - 34 }]
    const ratios = await stepRatios(nines.app.db.read, slos, steps, nowSeconds)
    expect(ratios).toEqual(await plainRatios(slos, steps))
    expect(new Set(ratios).size).toBeGreaterThan(3)
  }
})

/** Nine of ten events are good, in a bucket of each SLO from each of these seconds on. */
async function store(resolution: Resolution, starts: number[]): Promise<void> {
  const events = { good: 9, total: 10, leadGood: 0, leadTotal: 0 }
  const buckets = sloIds.flatMap((sloId) =>
    starts.map((startSeconds): LedgerBucket => {
      return { sloId, revision: 1, resolution, startSeconds, coveredSeconds: resolution, ...events }
    }),
  )
  await nines.app.db.write.transaction().execute((trx) => putBuckets(trx, buckets))
}

const measured = sloIds.map((id) => ({ id, revision: 1 }))

test('stored hours of all SLOs are read in one statement, the step that has not ended in one more', async () => {
  const hours = Array.from({ length: 24 }, (_, n) => testStartSeconds - (n + 1) * hour)
  await store(hour, hours)
  const steps = hours.map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + hour }))
  const { db, count } = countingReads(nines.app.db.read)
  expect(await stepRatios(db, measured, steps, nowSeconds)).toEqual(Array.from({ length: 96 }, () => 0.9))
  expect(count.statements).toBe(1)
  const open = { startSeconds: testStartSeconds, endSeconds: testStartSeconds + 600 }
  await stepRatios(db, measured, [...steps, open], nowSeconds)
  expect(count.statements).toBe(1 + 2)
})

test('hours that no SLO has stored yet are read of all SLOs together', async () => {
  const step = { startSeconds: testStartSeconds - hour, endSeconds: testStartSeconds }
  await store(
    60,
    Array.from({ length: 60 }, (_, n) => step.startSeconds + n * 60),
  )
  const { db, count } = countingReads(nines.app.db.read)
  expect(await stepRatios(db, measured, [step], nowSeconds)).toEqual(sloIds.map(() => 0.9))
  expect(count.statements).toBe(2)
})
