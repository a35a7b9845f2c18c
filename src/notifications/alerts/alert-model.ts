import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { SilenceRow } from '../../db/tables/tables.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { OneOf, QueryId } from '../../http/schemas.ts'
import { isSilenced } from '../silences/silenced.ts'
import { alertFilters, type ListedAlert, type ToldOfAlert } from './alert-list-store.ts'
import { causeOfAlert } from './alert-name.ts'

export const AlertListQuery = t.Object({
  ...PageQuery,
  state: t.Optional(OneOf(alertFilters)),
  slo_id: t.Optional(QueryId),
})

/** `silenced`: whether an alert of its SLO would be, now. `notified`: how many notifications of it were not held back. */
const alert = {
  id: t.Number(),
  slo_id: t.Nullable(t.Number({ description: 'null: of nines itself' })),
  slo_name: t.Nullable(t.String()),
  name: t.String(),
  alert_type: t.String(),
  severity: t.String(),
  state: t.String(),
  began_at: t.String(),
  ended_at: t.Nullable(t.String()),
  duration_seconds: t.Number(),
  silenced: t.Boolean(),
  notified: t.Number(),
}

const success = t.Literal(true)

export const AlertList = t.Object({
  success,
  alerts: t.Array(t.Object(alert)),
  ...PageFields,
})

const Told = t.Object({
  id: t.Number(),
  channel_id: t.Number(),
  status: t.String(),
  event: t.String(),
  created_at: t.String(),
})

export const AlertAnswer = t.Object({ success, data: t.Object({ ...alert, notifications: t.Array(Told) }) })

/** `silences`: those in force. */
export function presentAlert(row: ListedAlert, silences: SilenceRow[], nowMs: number) {
  const { id, slo_id, slo_name, name, severity, began_at, ended_at, notified, organization_id, labels } = row
  return {
    id,
    slo_id,
    slo_name,
    name,
    alert_type: causeOfAlert(row),
    severity,
    state: ended_at === null ? 'firing' : 'ended',
    began_at: isoTime(began_at * 1000),
    ended_at: ended_at === null ? null : isoTime(ended_at * 1000),
    duration_seconds: Math.max(0, (ended_at ?? Math.floor(nowMs / 1000)) - began_at), // a clock may be set back
    silenced: slo_id !== null && labels !== null && isSilenced({ id: slo_id, organization_id, labels }, silences),
    notified,
  }
}

export function presentTold({ id, channel_id, status, event, created_at }: ToldOfAlert) {
  return { id, channel_id, status, event, created_at: isoTime(created_at) }
}
