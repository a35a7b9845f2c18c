import type { Db } from '../../db/open.ts'
import type { AlertRow, SilenceRow } from '../../db/tables/tables.ts'
import { among } from '../../db/statements/among.ts'
import { listLastNotified, ruleOfSlo } from '../alerts/alert-store.ts'
import { selects } from '../alerts/notify-alerts.ts'
import { listRulesInForce, type RuleInForce } from '../rules/rules-in-force.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import { listSilencesDuring } from '../silences/silence-store.ts'
import type { IncidentNotification, ListedIncident } from './incident-list-store.ts'

/** Reasons why a channel was not notified of an incident, in the order in which they are looked for. */
export const notNotifiedReasons = [
  'failed',
  'channel_disabled',
  'no_rule',
  'acknowledged',
  'silenced',
  'throttled',
  'next_evaluation',
  'inhibited',
] as const

/** Reason, with who acknowledged or silenced, the end of the silence or of the wait in ms, and the error or comment. */
type Reason = {
  reason: (typeof notNotifiedReasons)[number]
  by?: string | null
  untilMs?: number | null
  message?: string
}

/** Channel that was not notified of an incident. */
export type NotNotified = Reason & { channelId: number; channelName: string; channelType: string }

type Incident = { incident: ListedIncident; alerts: AlertRow[]; notifications: IncidentNotification[]; nowMs: number }

/**
 * Channels of the organization that were not notified of an incident, each with the one reason that stored rows show. Rules and
 * silences are taken as they are now, without rules and channels that were created after the incident's end.
 */
export async function listNotNotified(db: Db, about: Incident): Promise<NotNotified[]> {
  const { incident, notifications, nowMs } = about
  const endedSeconds = incident.recovered_at ?? incident.closed_at
  const endedMs = endedSeconds === null ? nowMs : endedSeconds * 1000
  const channels = await db
    .selectFrom('channels')
    .select(['id', 'name', 'channel_type', 'enabled', 'updated_at'])
    .where('organization_id', '=', incident.organization_id)
    .where('created_at', '<=', endedMs)
    .orderBy('id')
    .execute()
  const inForce = await listRulesInForce(db, [incident.slo_id])
  const ruleTimes = await findRuleTimes(db, inForce)
  const rules = inForce.filter(({ id }) => (ruleTimes.get(id)?.created_at ?? 0) <= endedMs)
  const last = await listLastNotified(db, rules, nowMs)
  const sentOf = Map.groupBy(
    notifications.filter(({ event }) => event === 'alert'),
    ({ channel_id }) => channel_id,
  )
  const silence = await findSilence(db, incident, endedMs)
  const evaluatedMs = await findEvaluatedMs(db, incident.slo_id)

  function reasonOf(channel: (typeof channels)[number], sent: IncidentNotification[]): Reason {
    const failed = sent.findLast(({ status }) => status === 'failed')
    if (failed) return { reason: 'failed', message: failed.error_message }
    if (channel.enabled === 0) return { reason: 'channel_disabled' }
    const matchingRules = rules.filter(
      (rule) => rule.channel_id === channel.id && about.alerts.some((alert) => selects(rule, alert)),
    )
    if (matchingRules.length === 0) return { reason: 'no_rule' }
    if (incident.acknowledged_at !== null) return { reason: 'acknowledged', by: incident.acknowledged_by_name }
    if (silence) return { reason: 'silenced', by: silence.by, untilMs: silence.until, message: silence.comment }
    // those that are left were throttled
    if (sent.length > 0) return { reason: 'throttled', untilMs: intervalEndOf(matchingRules, last) }
    const changedMs = Math.max(channel.updated_at, ...matchingRules.map(({ id }) => ruleTimes.get(id)?.updated_at ?? 0))
    if (endedSeconds === null && changedMs > evaluatedMs) return { reason: 'next_evaluation' }
    return { reason: 'inhibited' }
  }

  return channels.flatMap((channel) => {
    const sent = sentOf.get(channel.id) ?? []
    if (sent.some(({ status }) => status !== 'throttled' && status !== 'failed')) return []
    const { id: channelId, name: channelName, channel_type: channelType } = channel
    return [{ channelId, channelName, channelType, ...reasonOf(channel, sent) }]
  })
}

/** Time in ms until which these rules wait for their minimum interval; null: none of them waits, the text was a duplicate. */
function intervalEndOf(rules: RuleInForce[], last: Map<string, number>): number | null {
  const ends = rules.flatMap(({ id, slo_id, min_interval_seconds }) => {
    const lastMs = last.get(ruleOfSlo(id, slo_id))
    return lastMs === undefined || min_interval_seconds === 0 ? [] : [lastMs + min_interval_seconds * 1000]
  })
  return ends.length === 0 ? null : Math.max(...ends)
}

/** Times in ms at which stored rules were created and last changed, by id; default channels have no rules. */
async function findRuleTimes(db: Db, rules: RuleInForce[]) {
  const ids = rules.map(({ id }) => id)
  const stored = db.selectFrom('notification_rules').select(['id', 'created_at', 'updated_at'])
  const rows = await stored.where('id', 'in', among(ids)).execute()
  return new Map<number | null, (typeof rows)[number]>(rows.map((row) => [row.id, row]))
}

/** Silence that covers the SLO of an incident while it fails, the one that ends last, with the name of who made it. */
async function findSilence(
  db: Db,
  { organization_id, slo_id, labels, opened_at, recovered_at, closed_at }: ListedIncident,
  endedMs: number,
): Promise<(Pick<SilenceRow, 'until' | 'comment'> & { by: string | null }) | null> {
  const isOver = (recovered_at ?? closed_at) !== null
  const startMs = isOver ? opened_at * 1000 : endedMs
  const during = await listSilencesDuring(db, organization_id, startMs, endedMs + 1, slo_id)
  const covering = createSilenceIndex(during).covering({ id: slo_id, organization_id, labels })
  const [silence] = covering.toSorted((a, b) => b.until - a.until)
  if (!silence) return null
  const maker = db.selectFrom('users').select('name').where('id', '=', silence.created_by)
  return { ...silence, by: (await maker.executeTakeFirst())?.name ?? null }
}

async function findEvaluatedMs(db: Db, sloId: number): Promise<number> {
  const row = await db.selectFrom('slo_states').select('evaluated_at').where('slo_id', '=', sloId).executeTakeFirst()
  return row?.evaluated_at ?? 0
}
