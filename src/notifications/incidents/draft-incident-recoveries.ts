import type { Clock } from '../../clock.ts'
import type { Zones } from '../../db/organization-zones.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import type { SentNotification } from '../alerts/alert-store.ts'
import { type AlertsToNotify, draftOf } from '../alerts/draft.ts'
import { isReached, opensIncidents, recoveryEnvelopeOf } from '../alerts/draft-recoveries.ts'
import type { Draft } from '../outbox-store.ts'

/**
 * Drafts the end of each incident that has just recovered, silenced or not: one message to each channel that was notified of it since
 * it began or last failed again; to receivers that hold one incident for each alert, one for each of these alerts, but for those that
 * only a list named (`queueListEnds`). A rule for recoveries of the channel provides the texts.
 */
export function draftIncidentRecoveries(
  { clock, publicUrl, zones }: { clock: Clock; publicUrl: () => string; zones: Zones },
  { alerts, rules, sent, alertsOfIncidents }: AlertsToNotify & { alertsOfIncidents: AlertRow[] },
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
    return [...ofChannel.values()].flatMap((some) => {
      const last = some.at(-1)
      if (!last) return []
      const ends = opensIncidents(last.channel_type) ? latestOfAlerts(some.filter(({ list_id }) => !list_id)) : [last]
      const rule = rules.find(
        ({ by, ...one }) =>
          one.cause === 'recovery' && by !== 'default' && one.slo_id === slo.id && one.channel_id === last.channel_id,
      )
      return ends.flatMap((one) => {
        const alert = alertOf.get(one.alert_id ?? 0)
        if (!alert) return []
        const endedSeconds = incident.recovered_at ?? incident.closed_at
        const header = { id: incident.id, event: 'recovered', relapse: incident.relapses } as const
        const envelope = { ...recoveryEnvelopeOf(rule ?? one, alert), incident: header }
        const ended = { ...alert, ended_at: alert.ended_at ?? endedSeconds }
        return [
          draftOf({ publicUrl, zones, nowMs }, sloAlerts, ended, envelope, rule ?? { subject: null, message: null }),
        ]
      })
    })
  })
}

function latestOfAlerts(sent: SentNotification[]): SentNotification[] {
  return [...new Map(sent.map((one) => [one.alert_id, one])).values()]
}
