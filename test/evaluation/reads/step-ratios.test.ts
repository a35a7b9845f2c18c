import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runCooperatively } from '../../../src/concurrency/cooperative.ts'
import type { Db } from '../../../src/db/open.ts'
import { stepRatios, type StepWindows } from '../../../src/evaluation/reads/step-ratios-store.ts'
import { storedSpanAround } from '../../../src/evaluation/reads/series.ts'
import type { Resolution } from '../../../src/ledger/bucket.ts'
import { type LedgerBucket, putBuckets } from '../../../src/ledger/ledger-store.ts'
import type { Window } from '../../../src/ledger/window-spans.ts'
import { sumWindows } from '../../../src/ledger/window-sums.ts'
import { sliOfSum } from '../../../src/slos/arithmetic/window-sum.ts'
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

/** Reference for `stepRatios`: each step of each SLO summed as any other window. */
async function plainRatios(slos: { id: number; revision: number }[], steps: Window[]): Promise<(number | null)[]> {
  const windows = slos.flatMap(({ id: sloId, revision }) =>
    steps.map(({ startSeconds, endSeconds }) => ({ sloId, revision, startSeconds, endSeconds, keepsLead: true })),
  )
  const sums = await sumWindows(nines.app.db.read, windows, nowSeconds)
  return sums.map((sum, n) => sliOfSum(sum, (windows[n]?.endSeconds ?? 0) - (windows[n]?.startSeconds ?? 0)).ratio)
}

/** Buckets of four days. Some are missing, cover a part, have no traffic, or have more good than total events. */
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

type Slo = { id: number; revision: number }

/** SLI of each SLO in each window, one SLO after the other; null: unknown. */
async function ratiosOf(db: Db, slos: Slo[], steps: StepWindows): Promise<(number | null)[]> {
  const ratios = new Map<string, number>()
  const keep = (sloId: number, place: number, ratio: number) => ratios.set(`${sloId} ${place}`, ratio)
  await runCooperatively('test', stepRatios(db, slos, steps, nowSeconds, keep))
  return slos.flatMap(({ id }) => steps.windows.map((_, place) => ratios.get(`${id} ${place}`) ?? null))
}

const rounded = (ratios: (number | null)[]) => ratios.map((ratio) => ratio && Number(ratio.toFixed(12)))

test.each([1, 2, 3])('the SLIs of steps are those of their windows (seed %p)', async (seed) => {
  const random = seeded(seed)
  await nines.app.db.write.transaction().execute((trx) => putBuckets(trx, someBuckets(random)))
  // the fourth has no data in its current revision
  const slos = sloIds.map((id) => ({ id, revision: id === 4 ? 2 : 1 }))
  for (const stepSeconds of [60, 660, 1800, hour, 90 * 60, 2 * hour, 36 * hour, day]) {
    const fromSeconds = Math.floor(testStartSeconds / day) * day - (stepSeconds < 660 ? 0 : 4 * day)
    const starts = Array.from({ length: Math.ceil((nowSeconds - fromSeconds) / stepSeconds) }, (_, n) => n)
    const around = starts.map((n) => storedSpanAround(fromSeconds + n * stepSeconds, stepSeconds, nowSeconds))
    const windows = [...around, { startSeconds: Math.floor(nowSeconds / hour) * hour, endSeconds: nowSeconds - 34 }]
    const ratios = await ratiosOf(nines.app.db.read, slos, { fromSeconds, stepSeconds, windows })
    expect(rounded(ratios)).toEqual(rounded(await plainRatios(slos, windows)))
    // 36 h give three windows
    expect(new Set(ratios).size).toBeGreaterThan(stepSeconds > day ? 2 : 3)
  }
})

/** Stores buckets with nine of ten events good, for each SLO from each of these seconds on. */
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

test('stored hours of all SLOs are read in one statement, and the minutes of those that are not in one more', async () => {
  const hours = Array.from({ length: 24 }, (_, n) => testStartSeconds - (24 - n) * hour)
  await store(hour, hours)
  await store(
    60,
    Array.from({ length: 10 }, (_, n) => testStartSeconds + n * 60),
  )
  const windows = hours.map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + hour }))
  windows.push({ startSeconds: testStartSeconds, endSeconds: testStartSeconds + 600 })
  const { db, count } = countingReads(nines.app.db.read)
  const steps = { fromSeconds: hours[0] ?? 0, stepSeconds: hour, windows }
  expect(await ratiosOf(db, measured, steps)).toEqual(Array.from({ length: 100 }, () => 0.9))
  expect(count).toEqual({ statements: 3, rows: 4 * 24 + 4 })
})

test('a thousand steps in which nothing is stored take as many statements as one, and no row', async () => {
  const fromSeconds = testStartSeconds - 1000 * 660
  const windows = Array.from({ length: 1000 }, (_, n) => storedSpanAround(fromSeconds + n * 660, 660, nowSeconds))
  const { db, count } = countingReads(nines.app.db.read)
  expect(new Set(await ratiosOf(db, measured, { fromSeconds, stepSeconds: 660, windows }))).toEqual(new Set([null]))
  expect(count).toEqual({ statements: 9, rows: 0 })
})

test('steps of some minutes are read as a sum each', async () => {
  const fromSeconds = testStartSeconds - hour
  await store(
    60,
    Array.from({ length: 60 }, (_, n) => fromSeconds + n * 60),
  )
  const windows = Array.from({ length: 4 }, (_, n) => storedSpanAround(fromSeconds + n * 900, 900, nowSeconds))
  const { db, count } = countingReads(nines.app.db.read)
  const ratios = await ratiosOf(db, measured, { fromSeconds, stepSeconds: 900, windows })
  expect(ratios).toEqual(Array.from({ length: 16 }, () => 0.9))
  expect(count).toEqual({ statements: 2, rows: 16 })
})
