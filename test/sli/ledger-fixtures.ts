import type { StateRow } from '../../src/db/tables/tables.ts'
import { putEvaluations } from '../../src/evaluation/evaluation-store.ts'
import type { Resolution } from '../../src/ledger/bucket.ts'
import { putBuckets } from '../../src/ledger/ledger-store.ts'
import { type TestApp, testStartMs } from '../support/app.ts'

export const startSeconds = testStartMs / 1000 // a whole hour

type Counted = { good: number; total: number; coveredSeconds?: number }
type Span = { sloId: number; revision?: number; resolution: Resolution; from: number; to: number }

/** Fills a part of the ledger, in seconds after `startSeconds`, with equal buckets. */
export async function measured(
  { app }: TestApp,
  { sloId, revision = 1, resolution, from, to }: Span,
  { good, total, coveredSeconds = resolution }: Counted,
): Promise<void> {
  const buckets = Array.from({ length: (to - from) / resolution }, (_, i) => ({
    sloId,
    revision,
    resolution,
    good,
    total,
    coveredSeconds,
    leadGood: 0,
    leadTotal: 0,
    startSeconds: startSeconds + from + i * resolution,
  }))
  await app.db.write.transaction().execute((trx) => putBuckets(trx, buckets))
}

type Found = Partial<Parameters<typeof putEvaluations>[1][number]>

/** Stores an evaluation of an SLO at the current minute. */
export async function evaluated({ app, clock }: TestApp, sloId: number, found: Found): Promise<void> {
  const nowMs = clock.now()
  const slo = await app.db.read.selectFrom('slos').selectAll().where('id', '=', sloId).executeTakeFirstOrThrow()
  const evaluation = {
    sloId,
    organizationId: 1,
    revision: 1,
    sloUpdatedAtMs: slo.updated_at,
    atSeconds: nowMs / 1000,
    evaluatedAtMs: nowMs + 700,
    isFailed: false,
    status: 'healthy' as StateRow['status'],
    reason: null,
    message: null,
    current: 100,
    own: 100,
    budgetUsed: 0,
    goodEvents: null,
    totalEvents: null,
    currentCoverage: 1,
    ownCoverage: 1,
    windowShare: 1,
    firstSampleAtMs: null,
    burnRates: [],
    recent: null,
    outage: null,
    durationMs: null,
    ...found,
  }
  await app.db.write.transaction().execute((trx) => putEvaluations(trx, [evaluation]))
}
