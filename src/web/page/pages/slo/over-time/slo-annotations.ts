import type { Timeline } from '../../../api/history.ts'
import type { Incidents, Tier } from '../../../api/types.ts'
import type { Annotation, Annotations, Marker } from '../../../charts/annotations.ts'
import { alertTitle, shapeOf } from '../../../incidents/alert-words.ts'
import { fieldName } from '../../../slo/change-words.ts'

/**
 * Annotations behind the charts of an SLO; ongoing ones end now. Alerts of outages and burn rates have annotations: urgent alerts
 * while an incident fails, tickets as long as they fire. Other alerts, such as of a low budget, have none.
 */
export function annotationsOf(
  timeline: Timeline | undefined,
  incidents: Pick<Incidents, 'incidents'> | undefined,
  nowMs: number,
): { bands: Annotation[]; markers: Marker[] } {
  const seconds = (time: string | null) => (time === null ? nowMs : Date.parse(time)) / 1000
  const silenced = timeline?.silences.map(({ starts_at, until, comment }): Annotation => ({
    kind: 'silenced',
    fromSeconds: seconds(starts_at),
    toSeconds: Math.min(seconds(until), nowMs / 1000),
    text: `silenced: ${comment}`,
  }))
  const excluded = timeline?.corrections.map(({ from, to, text }): Annotation => ({
    kind: 'excluded',
    fromSeconds: seconds(from),
    toSeconds: seconds(to),
    text: text === '' ? 'left out' : `left out: ${text}`,
  }))
  const stretches = incidents?.incidents.flatMap((incident) => incident.stretches) ?? []
  const failing = stretches.map(({ began_at, ended_at }): Annotation => ({
    kind: 'incident',
    fromSeconds: seconds(began_at),
    toSeconds: seconds(ended_at),
    text: 'incident',
  }))
  const openers = timeline?.alerts.filter(({ kind }) => kind === 'down' || kind === 'burn_rate')
  const firing = openers?.flatMap((alert) => {
    const isUrgent = shapeOf(alert) === 'critical'
    const whole: Annotation = {
      kind: isUrgent ? 'firing' : 'ticket',
      fromSeconds: seconds(alert.began_at),
      toSeconds: seconds(alert.ended_at),
      text: `firing: ${alertTitle(alert)}`,
      longWindow: alert.long_window,
    }
    return isUrgent ? failing.map((incident) => overlapOf(incident, whole)) : [whole]
  })
  const markers = timeline && [
    ...timeline.changes.map((change) => ({ atSeconds: seconds(change.changed_at), text: flagText(change) })),
    ...timeline.annotations.map(({ id, at, title }) => {
      return { atSeconds: seconds(at), text: title, href: `/deploys/${id}` }
    }),
  ]
  const bands = [...failing, ...(firing ?? []), ...(silenced ?? []), ...(excluded ?? [])]
  return { bands: bands.filter(({ fromSeconds, toSeconds }) => toSeconds > fromSeconds), markers: markers ?? [] }
}

function overlapOf(incident: Annotation, alert: Annotation): Annotation {
  return {
    ...alert,
    fromSeconds: Math.max(incident.fromSeconds, alert.fromSeconds),
    toSeconds: Math.min(incident.toSeconds, alert.toSeconds),
  }
}

/** Annotations without the alerts of other tiers. */
export function ofTier(all: Annotations, { long_window }: Pick<Tier, 'long_window'>): Annotations {
  return { ...all, bands: all.bands.filter(({ longWindow = long_window }) => longWindow === long_window) }
}

function flagText({ event, fields, changed_by_name: by }: Timeline['changes'][number]): string {
  const what = event === 'changed' ? `${fields.map((field) => fieldName(field)).join(', ')} changed` : event
  return by === null ? what : `${what} by ${by}`
}
