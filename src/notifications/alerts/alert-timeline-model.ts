import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { AlertNameFields, presentAlertName } from './alert-name-model.ts'
import type { AlertTimeline } from './alert-timeline.ts'

export const AlertTimelineResponse = t.Object(
  {
    start_time: t.String(),
    end_time: t.String(),
    total: t.Number({ description: 'how many there are, of which the newest 500 are here' }),
    alerts: t.Array(
      t.Object({
        id: t.Number(),
        slo_id: t.Nullable(t.Number({ description: 'null: of nines itself' })),
        slo_name: t.Nullable(t.String()),
        name: t.String(),
        ...AlertNameFields,
        severity: t.String(),
        began_at: t.String(),
        ended_at: t.Nullable(t.String({ description: 'null: it is firing' })),
        acknowledged_at: t.Nullable(t.String()),
        notifications: t.Array(t.Object({ event: t.String(), status: t.String(), created_at: t.String() })),
      }),
    ),
    silences: t.Array(
      t.Object({
        id: t.Number(),
        slo_ids: t.Array(t.Number({ description: 'the ids of the SLOs above that it covers' })),
        starts_at: t.String(),
        until: t.String(),
        comment: t.String(),
      }),
    ),
  },
  { title: 'AlertTimeline' },
)

export function presentAlertTimeline(timeline: AlertTimeline): typeof AlertTimelineResponse.static {
  const { startMs, endMs, total, alerts, notifications, silences, covered } = timeline
  const notificationsOf = Map.groupBy(notifications, ({ alert_id }) => alert_id)
  return {
    start_time: isoTime(startMs),
    end_time: isoTime(endMs),
    total,
    alerts: alerts.map(({ id, slo_id, slo_name, name, severity, began_at, ended_at, acknowledged_at }) => ({
      id,
      slo_id,
      slo_name,
      name,
      ...presentAlertName(name),
      severity,
      began_at: isoTime(began_at * 1000),
      ended_at: ended_at === null ? null : isoTime(ended_at * 1000),
      acknowledged_at: acknowledged_at === null ? null : isoTime(acknowledged_at * 1000),
      notifications: (notificationsOf.get(id) ?? []).map(({ event, status, created_at }) => ({
        event,
        status,
        created_at: isoTime(created_at),
      })),
    })),
    silences: silences.flatMap((silence) => {
      const slo_ids = covered.get(silence.id)
      if (!slo_ids) return []
      const { id, starts_at, until, comment } = silence
      return [{ id, slo_ids, starts_at: isoTime(starts_at), until: isoTime(until), comment }]
    }),
  }
}
