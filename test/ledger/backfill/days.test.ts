import { expect, test } from 'bun:test'
import { type BackfillDeps, createBackfills } from '../../../src/ledger/backfill/backfill.ts'
import { testStartMs } from '../../support/app.ts'
import { evenly, measuring, nothing } from '../measuring.ts'

const on = measuring()
const day = 86_400
const midnight = testStartMs / 1000 - 36_000

test('a day whose minutes were asked for is their sum, but where some are missing and the whole day has more', async () => {
  const slo = await on.create()
  const inFirstHour = (start: number) => start >= midnight - 2 * day && start < midnight - 2 * day + 3600
  on.setResult = (_sloId, span) =>
    evenly(span, ({ startSeconds }) => {
      if (span.resolution === day) return { good: day - 20, total: day - 10 }
      return inFirstHour(startSeconds) ? nothing : {}
    })
  const { app } = on.nines
  const deps = { ...app, planner: { ...app.planner, verify: async (_source, slos) => slos } } satisfies BackfillDeps
  await createBackfills(deps, on.measure).run()
  const days = await on.buckets(slo, day, midnight - 4 * day)
  const [ofMinutes, whole] = [
    { good: day, total: day },
    { good: day - 20, total: day - 10 },
  ]
  expect(days.map(({ good, total }) => ({ good, total }))).toEqual([whole, whole, whole, ofMinutes])
})
