import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { isUrgent } from '../alerts/alert-name.ts'
import { listAlertsOfIncidents, type SentNotification } from '../alerts/alert-store.ts'
import { type AlertsToNotify, draftOf } from '../alerts/draft.ts'
import type { DraftFacts } from '../alerts/draft-facts.ts'
import { isReached, isIncidentTool, recoveryHeaderOf } from '../alerts/draft-recoveries.ts'
import type { Draft } from '../outbox-store.ts'
import { listLowerEnds, incidentAtChannelKey } from './lower-ends-store.ts'

type IncidentEnds = { alertsOfIncidents: AlertRow[]; lowerEnds: ReadonlyMap<string, number> }

/**
 * Drafts the recovery of each incident that has just recovered, silenced or not: one message to each channel that was notified of it
 * since it began or last failed again. An incident tool (such as PagerDuty) gets one for each severity that it has open; `queueListEnds`
 * ends those that it got in a list. `lowerEnds`: see `listLowerEnds`. A rule for recoveries of the channel provides the texts.
 */
export function draftIncidentRecoveries(
  { clock, ...facts }: DraftFacts & { clock: Clock },
  { alerts, rules, sent, alertsOfIncidents, lowerEnds }: AlertsToNotify & IncidentEnds,
): Draft[] {
  const nowMs = clock.now()
  const alertOf = new Map(alertsOfIncidents.map((alert) => [alert.id, alert]))
  return alerts.flatMap((sloAlerts) => {
    const { slo, incident, hasRecovered } = sloAlerts
    if (!incident || !hasRecovered) return []
    const reached = sent.filter((one) => one.incident_id === incident.id && isReached(one))
    const lastRelapse = Math.max(...reached.map(({ relapse }) => relapse ?? 0))
    const ofChannel = Map.groupBy(
      reached.filter(({ relapse }) => relapse === lastRelapse),
      ({ channel_id }) => channel_id,
    )
    return [...ofChannel.values()].flatMap((sentToChannel) => {
      const last = sentToChannel.at(-1)
      if (!last) return []
      const ends = isIncidentTool(last.channel_type) ? latestOpenOf(sentToChannel, lowerEnds) : [last]
      const rule = rules.find(
        ({ by, ...one }) =>
          one.cause === 'recovery' && by !== 'default' && one.slo_id === slo.id && one.channel_id === last.channel_id,
      )
      return ends.flatMap((one) => {
        const alert = alertOf.get(one.alert_id ?? 0)
        if (!alert) return []
        const endedSeconds = incident.recovered_at ?? incident.closed_at
        const incidentEnd = { id: incident.id, event: 'recovered', relapse: incident.relapses } as const
        const header = { ...recoveryHeaderOf(rule ?? one, alert), incident: incidentEnd }
        const ended = { ...alert, ended_at: alert.ended_at ?? endedSeconds }
        return [draftOf({ ...facts, nowMs }, sloAlerts, ended, header, rule ?? { subject: null, message: null })]
      })
    })
  })
}

/** Latest notification of each severity that an incident tool has open. */
function latestOpenOf(sent: SentNotification[], lowerEnds: IncidentEnds['lowerEnds']): SentNotification[] {
  const open = sent.filter(
    (one) => !one.list_id && (isUrgent(one) || one.id > (lowerEnds.get(incidentAtChannelKey(one)) ?? 0)),
  )
  return [...new Map(open.map((one) => [isUrgent(one), one])).values()]
}

/**
 * Drafts recoveries of the lower severity for incident tools, which open another incident of their own when the severity rises: one
 * for each of `drafts` that notifies of the rise, to be queued after it. It is delivered only once the higher severity was accepted
 * (`maySendLowerEnd`).
 */
export async function draftLowerEnds(
  { clock, ...facts }: DraftFacts & { clock: Clock },
  trx: Db,
  { alerts, sent }: AlertsToNotify,
  drafts: Draft[],
): Promise<Draft[]> {
  const rises = drafts.flatMap(({ incident, status, channel_id, channel_type }) =>
    incident?.event === 'rose' && status === 'pending' && isIncidentTool(channel_type)
      ? [{ ...incident, channel_id }]
      : [],
  )
  if (rises.length === 0) return []
  const ids = rises.map(({ id }) => id)
  const ended = await listLowerEnds(trx, ids)
  const alertOf = new Map((await listAlertsOfIncidents(trx, ids)).map((alert) => [alert.id, alert]))
  return rises.flatMap(({ channel_id, ...incident }) => {
    const key = incidentAtChannelKey({ incident_id: incident.id, channel_id, relapse: incident.relapse })
    const lower = sent.findLast(
      (one) => incidentAtChannelKey(one) === key && isReached(one) && !one.list_id && !isUrgent(one),
    )
    const alert = alertOf.get(lower?.alert_id ?? 0)
    const sloAlerts = alerts.find((one) => one.incident?.id === incident.id)
    if (!lower || !alert || !sloAlerts || lower.id < (ended.get(key) ?? 0)) return []
    const header = { ...recoveryHeaderOf(lower, alert), incident }
    return [draftOf({ ...facts, nowMs: clock.now() }, sloAlerts, alert, header, { subject: null, message: null })]
  })
}
