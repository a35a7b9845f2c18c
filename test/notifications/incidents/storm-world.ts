import type { Db } from '../../../src/db/open.ts'
import { insertRow } from '../../../src/db/statements/insert-row.ts'
import { type Evaluation, putEvaluations } from '../../../src/evaluation/evaluation-store.ts'
import type { NotificationRow } from '../../../src/db/tables/tables.ts'
import type { IncidentList } from '../../../src/notifications/notification-data.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { evaluation } from '../../support/evaluations.ts'
import { checkout } from '../../support/slo-calls.ts'

/** As many SLOs as the evaluation has in one transaction. */
export const chunkSize = 250

export type Storm = Awaited<ReturnType<typeof storm>>

/** An organization with so many SLOs that probes check, each with a rule for outages and one for tiers at one channel. */
export async function storm(count: number, channel: object = webhook) {
  const nines = await testApp()
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'site-1' })
  await nines.call('POST', '/api/v1/notifications/channels', { name: 'first', ...channel })
  for (const alert_type of ['violation', 'burn_rate_too_fast'])
    await nines.call('POST', '/api/v1/notifications/rules', { slo_id: 1, channel_id: 1, alert_type, notify: false })
  const { write, read } = nines.app.db
  await write.transaction().execute(async (trx) => {
    for (const id of ids(2, count)) await copySlo(trx, id)
  })
  const rows = () => read.selectFrom('notifications').selectAll().orderBy('id').execute()

  async function evaluate(ids: number[], found: Partial<Evaluation>): Promise<void> {
    const nowMs = nines.clock.now()
    const atSeconds = Math.floor(nowMs / 60_000) * 60
    const evaluations = ids.map((sloId) =>
      evaluation({ sloId, atSeconds, evaluatedAtMs: nowMs, burnRates: [], budgetUsed: 10, ...found }),
    )
    await write.transaction().execute(async (trx) => {
      await putEvaluations(trx, evaluations)
      await nines.app.alertRaiser.raiseAlerts(trx, evaluations)
    })
  }

  return {
    nines,
    close: nines.close,
    rows,
    evaluate,
    /** Evaluates these SLOs as down, in one transaction. */
    fail: (ids: number[]) => evaluate(ids, { outage: outage(nines, true) }),
    /** Evaluates these SLOs as up again, in one transaction. */
    recover: (ids: number[]) => evaluate(ids, { outage: outage(nines, false) }),
    wait: (seconds: number) => nines.clock.advance(seconds * 1000),
  }
}

const webhook = { channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:9/first' } }

const outage = (nines: TestApp, isDown: boolean) => {
  const sinceSeconds = Math.floor(nines.clock.now() / 1000) - 15
  return { isDown, isUnconfirmed: false, sinceSeconds, reason: isDown ? 'HTTP 503' : null }
}

async function copySlo(trx: Db, id: number): Promise<void> {
  const slo = await trx.selectFrom('slos').selectAll().where('id', '=', 1).executeTakeFirstOrThrow()
  await insertRow(trx, 'slos', { ...slo, id, name: `site-${id}` })
  const revision = await trx.selectFrom('slo_revisions').selectAll().where('slo_id', '=', 1).executeTakeFirstOrThrow()
  await insertRow(trx, 'slo_revisions', { ...revision, slo_id: id })
  const rules = await trx.selectFrom('notification_rules').selectAll().where('slo_id', '=', 1).execute()
  for (const { id: _, ...rule } of rules) await insertRow(trx, 'notification_rules', { ...rule, slo_id: id })
}

export function ids(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n)
}

/** List of a notification; undefined: it is about one SLO. */
export function listOf({ metadata }: NotificationRow): IncidentList | undefined {
  return JSON.parse(metadata).list
}

/** Names of the SLOs of each notification. */
export function named(row: NotificationRow): string[] {
  return listOf(row)?.incidents.map(({ slo_name }) => slo_name) ?? [JSON.parse(row.metadata).slo_name]
}
