import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { SilenceRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { pageFields, PageFields, PageQuery, readPage } from '../../http/paging.ts'
import { Id, OneOf, QueryId } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { listSilencesInForce } from '../silences/silence-store.ts'
import { isSilenced } from '../silences/silenced.ts'
import {
  alertFilters,
  type AlertNotification,
  getAlert,
  listAlerts,
  type ListedAlert,
  listNotificationsOf,
} from './alert-list-store.ts'
import { causeOfAlert } from './alert-name.ts'

const AlertListQuery = t.Object({
  ...PageQuery,
  state: t.Optional(OneOf(alertFilters)),
  slo_id: t.Optional(QueryId),
  include: t.Optional(OneOf(['notifications'])),
})

const AlertNotificationFields = t.Object({
  id: t.Number(),
  channel_id: t.Number(),
  channel_name: t.Nullable(t.String({ description: 'null where the channel has been deleted' })),
  channel_type: t.String(),
  status: t.String(),
  event: t.String(),
  error_message: t.String(),
  created_at: t.String(),
})

/** `silenced`: whether an alert of its SLO would be, now. `notified`: how many notifications of it were not throttled. */
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
  peak_burn_rate: t.Nullable(t.Number({ description: 'of a tier: the highest over its long window while it fired' })),
}

const AlertList = t.Object(
  {
    success: t.Literal(true),
    alerts: t.Array(t.Object({ ...alert, notifications: t.Optional(t.Array(AlertNotificationFields)) })),
    ...PageFields,
  },
  { title: 'AlertList' },
)

const AlertAnswer = t.Object({
  success: t.Literal(true),
  data: t.Object({ ...alert, notifications: t.Array(AlertNotificationFields) }),
})

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

const success = true as const

/** `/notifications/alerts`: alerts of SLOs that are firing or have ended. */
export const alertRoutes = ({ db, clock, guard }: Deps) =>
  new Elysia({ prefix: '/notifications/alerts', tags: ['Alerting'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller: { organizationId }, query }) => {
        const { state = 'firing', slo_id: sloId } = query
        const page = readPage(query, 50)
        const nowMs = clock.now()
        const { rows, total } = await listAlerts(db.read, organizationId, { state, sloId, ...page })
        const silences = await listSilencesInForce(db.read, nowMs)
        const notified =
          query.include &&
          (await listNotificationsOf(
            db.read,
            rows.map(({ id }) => id),
          ))
        const notificationsOf = notified && Map.groupBy(notified, ({ alert_id }) => alert_id)
        const alerts = rows.map((row) => ({
          ...presentAlert(row, silences, nowMs),
          ...(notificationsOf && { notifications: (notificationsOf.get(row.id) ?? []).map(presentNotification) }),
        }))
        return { success, alerts, ...pageFields(page, total) }
      },
      operation('listAlerts', 'List alerts', {
        query: AlertListQuery,
        200: AlertList,
        description: 'Those that fire first, each newest first.',
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        const nowMs = clock.now()
        const row = await getAlert(db.read, caller.organizationId, params.id)
        const silences = await listSilencesInForce(db.read, nowMs)
        const notifications = (await listNotificationsOf(db.read, [row.id])).map(presentNotification)
        return { success, data: { ...presentAlert(row, silences, nowMs), notifications } }
      },
      operation('getAlert', 'One alert, with its notifications', {
        params: t.Object({ id: Id('alert') }),
        200: AlertAnswer,
      }),
    )

/** `silences`: those in force. */
function presentAlert(row: ListedAlert, silences: SilenceRow[], nowMs: number) {
  const { id, slo_id, slo_name, name, severity, began_at, ended_at, notified, organization_id, labels } = row
  const { peak_burn_rate } = row
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
    peak_burn_rate,
  }
}

/** Columns that are no field of the API are dropped by the schemas of the responses. */
function presentNotification({ created_at, ...rest }: AlertNotification) {
  return { ...rest, created_at: isoTime(created_at) }
}
