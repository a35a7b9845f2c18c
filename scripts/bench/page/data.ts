import { sql } from 'kysely'
import type { Database } from '../../../src/db/open.ts'
import { type Evaluation, putEvaluations } from '../../../src/evaluation/evaluation-store.ts'

const daySeconds = 86_400
const hourSeconds = 3600
const eventsAMinute = 1000
const targetPercent = 99.9

/**
 * Fills an organization with copies of its single SLO, an evaluation of each and, unless `hasPast` is false, 30 days of
 * buckets. `exhausted` of every ten SLOs have no error budget left. `hoursOpen`: whole hours that have minute buckets and no
 * hour bucket yet. Returns the ids of the SLOs.
 */
export async function fillOverview(
  db: Database,
  { slos, exhausted, nowMs, hasPast = true, hoursOpen = 3 }: Filling,
): Promise<number[]> {
  const { id: _, ...row } = await db.read.selectFrom('slos').selectAll().executeTakeFirstOrThrow()
  const { slo_id: __, ...measuring } = await db.read.selectFrom('slo_revisions').selectAll().executeTakeFirstOrThrow()
  const names = ['Checkout answers', 'Search is fast', 'Payments work', 'Nightly job', 'Login answers']
  await db.write.transaction().execute(async (trx) => {
    for (let at = 1; at < slos; at++) {
      const labels = JSON.stringify({ tier: String((at % 3) + 1), service: `s${String(at % 40).padStart(2, '0')}` })
      const { id } = await trx
        .insertInto('slos')
        .values({ ...row, name: `${names[at % names.length]} ${at}`, labels, target: targetPercent })
        .returning('id')
        .executeTakeFirstOrThrow()
      await trx
        .insertInto('slo_revisions')
        .values({ ...measuring, slo_id: id })
        .execute()
    }
  })
  const all = await db.read.selectFrom('slos').selectAll().orderBy('id').execute()
  const isOver = (at: number) => at % 10 < exhausted
  const endSeconds = Math.floor(nowMs / 60_000) * 60
  const ids = JSON.stringify(all.map(({ id }, at) => [id, isOver(at) ? 1 : 0]))
  const today = Math.floor(endSeconds / daySeconds) * daySeconds
  const hour = Math.floor(endSeconds / hourSeconds) * hourSeconds - hoursOpen * hourSeconds
  const past = [
    [daySeconds, today - 34 * daySeconds, today],
    [hourSeconds, today - 32 * daySeconds, hour],
    [60, hour, endSeconds],
  ] as const
  for (const [resolution, from, to] of hasPast ? past : []) {
    const events = (eventsAMinute * resolution) / 60
    await sql`
      with recursive starts (start) as (
        select ${from} union all select start + ${resolution} from starts where start + ${resolution} < ${to}
      )
      insert or replace into buckets (slo_id, revision, resolution, start, good, total, covered_seconds, lead_good, lead_total)
      select value->>0, 1, ${resolution}, start, ${events} * (1 - iif(value->>1, 0.002, 0.0001)), ${events}, ${resolution}, 0, 0
      from starts, json_each(${ids})`.execute(db.write)
  }
  const evaluations = all.map(({ id, organization_id, revision, updated_at }, at) =>
    evaluation({ sloId: id, organizationId: organization_id, revision, sloUpdatedAtMs: updated_at }, isOver(at), nowMs),
  )
  await db.write.transaction().execute((trx) => putEvaluations(trx, evaluations))
  return all.map(({ id }) => id)
}

type Filling = { slos: number; exhausted: number; nowMs: number; hasPast?: boolean; hoursOpen?: number }
type Measured = Pick<Evaluation, 'sloId' | 'organizationId' | 'revision' | 'sloUpdatedAtMs'>

/** Evaluation as it is stored: with no error budget left, or with most of it. */
export function evaluation(measured: Measured, isOver: boolean, nowMs: number): Evaluation {
  const rate = isOver ? 2 : 0.1
  const own = 100 - (100 - targetPercent) * rate
  return {
    ...measured,
    atSeconds: Math.floor(nowMs / 60_000) * 60,
    evaluatedAtMs: nowMs,
    isFailed: false,
    status: isOver ? 'critical' : 'healthy',
    reason: null,
    message: null,
    current: own,
    own,
    budgetUsed: 100 * rate,
    windowShare: 1,
    firstSampleAtMs: null,
    goodEvents: null,
    totalEvents: null,
    currentCoverage: 1,
    ownCoverage: 1,
    durationMs: null,
    outage: null,
    recent: { seconds: 300, rate, events: null, badEvents: null, isBeyondChance: isOver, isCovered: true },
    burnRates: [
      {
        severity: 'ticket',
        long_seconds: daySeconds,
        short_seconds: 2 * hourSeconds,
        factor: 3,
        min_events: 0,
        enabled: true,
        long: rate,
        short: rate,
        long_bad_events: 12,
        firing: false,
      },
    ],
  }
}
