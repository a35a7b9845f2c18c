import { sql } from 'kysely'
import { putEvaluations } from '../../src/evaluation/evaluation-store.ts'
import { tiers } from '../notifications/alerts/alerting.ts'
import { measured, startSeconds } from '../sli/ledger-fixtures.ts'
import { evaluation } from '../support/evaluations.ts'
import type { World } from './world.ts'

export const minute = 60
const hour = 3600
export const day = 24 * hour
/** Times in seconds relative to the start of the test. */
export const outage = { from: -5 * hour, to: -4.5 * hour, createdAt: -20 * hour }

/** Stores a day of SLO 1 in which a quarter failed for half an hour, its alert, and a notification that was not delivered. */
export async function withOutage(world: World): Promise<void> {
  const { nines } = world
  await world.made({ target: 99, time_window: '24h' })
  const configuration = { webhook_url: 'http://127.0.0.1:9/' }
  await nines.call('POST', '/api/v1/notifications/channels', {
    name: 'on call',
    channel_type: 'webhook',
    configuration,
  })
  await nines.call('POST', '/api/v1/notifications/rules', {
    slo_id: 1,
    channel_id: 1,
    alert_type: 'burn_rate_too_fast',
    notify: false,
  })
  const past = (from: number, to: number, bad: number) =>
    measured(nines, { sloId: 1, resolution: 60, from, to }, { good: 100 - bad, total: 100 })
  await past(-day, outage.from, 0)
  await past(outage.from, outage.to, 50)
  await past(outage.to, 0, 0)
  const tier = (firing: boolean, long: number) => ({
    burnRates: tiers({ 1: firing })
      .burnRates.slice(0, 1)
      .map((rate) => ({ ...rate, long_seconds: 2 * hour, short_seconds: 10 * minute, long })),
  })
  const calm = { own: 98.96, budgetUsed: 104, goodEvents: 142_500, totalEvents: 144_000, status: 'healthy' as const }
  await stored(
    world,
    evaluation({ ...at(outage.from / minute + 10), ...calm, ...tier(true, 41) }),
    evaluation({ ...at(outage.from / minute + 35), ...calm, ...tier(false, 3) }),
    evaluation({ ...at(0), ...calm, ...tier(false, 0.2) }),
  )
  await nines.app.db.write
    .updateTable('notifications')
    .set({ status: 'failed', error_message: 'connection refused' })
    .where('event', '=', 'alert')
    .execute()
  await nines.call('PUT', '/api/v1/notifications/channels/1', { enabled: false })
  const createdMs = (startSeconds + outage.createdAt) * 1000
  await sql`update slo_changes set changed_at = ${createdMs}`.execute(nines.app.db.write)
}

/** Times of an evaluation, `minutes` after the start of the test. */
export function at(minutes: number) {
  const atSeconds = startSeconds + minutes * minute
  return { atSeconds, evaluatedAtMs: atSeconds * 1000 + 1000 }
}

/** Stores evaluations of SLO 1 and the alerts they raise. */
export async function stored({ nines }: World, ...evaluations: ReturnType<typeof evaluation>[]): Promise<void> {
  const { updated_at } = await nines.app.db.read.selectFrom('slos').select('updated_at').executeTakeFirstOrThrow()
  for (const one of evaluations) {
    const found = [{ ...one, sloUpdatedAtMs: updated_at }]
    await nines.app.db.write.transaction().execute(async (trx) => {
      await putEvaluations(trx, found)
      await nines.app.alertRaiser.raiseAlerts(trx, found)
    })
  }
}
