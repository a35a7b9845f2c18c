import type { IncidentEvent } from '../../db/tables/tables.ts'
import type { SentNotification } from '../alerts/alert-store.ts'
import { isUrgent, opensIncident } from '../alerts/alert-name.ts'
import type { Pair } from '../alerts/draft.ts'
import { flappingRelapse } from './flapping.ts'
import type { IncidentHeader } from '../outbox-store.ts'

/** Alert and rule to notify of; `incident` null: the message is not about an incident. */
export type IncidentMessage = { pair: Pair; incident: IncidentHeader | null }

/**
 * Selects what to notify of. A channel gets one message when an incident opens, one for each rise of its severity and one for
 * each relapse. A channel that is notified of an incident gets no messages about its other alerts, such as status and budget.
 * `sent`: notifications that need not be repeated.
 */
export function selectIncidentMessages(pairs: Pair[], sent: SentNotification[]): IncidentMessage[] {
  const sentOf = Map.groupBy(sent, ({ incident_id, channel_id }) => keyOf(incident_id, channel_id))
  const ofIncident = pairs.filter(({ sloAlerts, alert }) => sloAlerts.incident !== null && opensIncident(alert))
  const messages: IncidentMessage[] = []
  const reached = new Set(sentOf.keys())
  for (const [key, pairsOfKey] of Map.groupBy(ofIncident, ({ sloAlerts, rule }) =>
    keyOf(sloAlerts.incident?.id ?? null, rule.channel_id),
  )) {
    const pair = pairsOfKey.toSorted((one, other) => rankOf(other.alert) - rankOf(one.alert))[0]
    const incident = pair?.sloAlerts.incident
    if (!pair || !incident) continue
    const { id, relapses: relapse } = incident
    const event = eventOf(pair, relapse, sentOf.get(key) ?? [])
    if (event) messages.push({ pair, incident: { id, event, relapse } })
    if (event) reached.add(key)
  }
  const others = pairs.filter(
    ({ alert, rule }) =>
      !opensIncident(alert) && (alert.incident_id === null || !reached.has(keyOf(alert.incident_id, rule.channel_id))),
  )
  return [...messages, ...others.map((pair) => ({ pair, incident: null }))]
}

function eventOf({ alert }: Pair, relapse: number, sentBefore: SentNotification[]): IncidentEvent | null {
  if (sentBefore.length === 0) return 'opened'
  const ofRelapse = sentBefore.filter((one) => one.relapse === relapse)
  if (ofRelapse.length === 0) {
    if (relapse > flappingRelapse) return null
    return relapse === flappingRelapse ? 'flapping' : 'again'
  }
  return rankOf(alert) > Math.max(...ofRelapse.map(rankOf)) ? 'rose' : null
}

/** Rank of an alert that opens an incident: an outage, which is critical, above a page above a ticket. */
function rankOf({ severity }: Pick<SentNotification, 'severity'>): number {
  if (severity === 'critical') return 3
  return isUrgent({ severity }) ? 2 : 1
}

function keyOf(incidentId: number | null, channelId: number): string {
  return `${incidentId} ${channelId}`
}
