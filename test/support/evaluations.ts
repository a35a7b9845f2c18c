import type { Db } from '../../src/db/open.ts'
import { type Evaluation, putEvaluations } from '../../src/evaluation/evaluation-store.ts'
import type { BurnRate } from '../../src/slos/arithmetic/burn-rates.ts'
import type { RecentBurn } from '../../src/slos/arithmetic/state.ts'
import { type TestApp, testApp, testStartMs } from './app.ts'
import { checkout } from './slo-calls.ts'

export const testStartSeconds = testStartMs / 1000

/** A nines with three SLOs, ids 1 to 3, in Ada's organization. */
export async function appWithThreeSlos(): Promise<TestApp> {
  const nines = await testApp()
  await nines.join('ada')
  for (const name of ['one', 'two', 'three']) await nines.call('POST', '/api/v1/slos', { ...checkout, name })
  return nines
}

/** Evaluation of a healthy SLO at a minute. */
export function evaluation(change: Partial<Evaluation> = {}): Evaluation {
  const atSeconds = change.atSeconds ?? testStartSeconds
  return {
    sloId: 1,
    organizationId: 1,
    revision: 1,
    sloUpdatedAtMs: testStartMs,
    atSeconds,
    evaluatedAtMs: atSeconds * 1000 + 1234,
    status: 'healthy',
    reason: null,
    message: null,
    isFailed: false,
    current: 99.95,
    own: 99.93,
    budgetUsed: 70,
    windowShare: 1,
    firstSampleAtMs: testStartMs - 90 * 86_400_000,
    goodEvents: 9993,
    totalEvents: 10_000,
    currentCoverage: 0.98,
    ownCoverage: 0.87,
    outage: null,
    burnRates: [
      {
        severity: 'page',
        long_seconds: 3600,
        short_seconds: 300,
        factor: 14.4,
        min_events: 5,
        enabled: true,
        long: 0.5,
        short: null,
        long_bad_events: 12,
        firing: null,
      },
    ],
    durationMs: 12,
    recent: recentOf(change.burnRates),
    ...change,
  }
}

/** Newest stretch that burns as fast as the short window of 5 minutes of these tiers. */
function recentOf(burnRates: BurnRate[] = []): RecentBurn {
  const rate = burnRates.find(({ short_seconds }) => short_seconds === 300)?.short ?? 0
  return { seconds: 300, rate, events: null, badEvents: null, isBeyondChance: rate > 1, isCovered: true }
}

/** Evaluation whose source did not answer. */
export function failure(change: Partial<Evaluation> = {}): Evaluation {
  return evaluation({
    status: 'unknown',
    reason: 'source_error',
    message: 'metrics source did not answer',
    isFailed: true,
    current: null,
    own: null,
    budgetUsed: null,
    windowShare: null,
    firstSampleAtMs: null,
    goodEvents: null,
    totalEvents: null,
    currentCoverage: null,
    ownCoverage: null,
    burnRates: [],
    recent: null,
    ...change,
  })
}

export async function put(db: Db, ...evaluations: Evaluation[]): Promise<void> {
  await db.transaction().execute((trx) => putEvaluations(trx, evaluations))
}
