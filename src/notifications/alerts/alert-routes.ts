import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { invalid } from '../../errors.ts'
import { operation } from '../../http/openapi/operation.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { Id } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, readJsonOrNothing, signedIn } from '../../http/signed-in.ts'
import { parseBurnRates } from '../../slos/arithmetic/burn-rates.ts'
import type { Acknowledgeable } from '../incidents/shared-acknowledgement.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import { listNamedInForce } from '../silences/silence-store.ts'
import { acknowledge, withdrawAcknowledgement } from './acknowledge.ts'
import { getAlert, listAlerts, type ListedAlert, listLatestBurnRates, listNotificationsOf } from './alert-list-store.ts'
import {
  Acknowledgement,
  AlertResponse,
  AlertFilter,
  AlertList,
  AlertListQuery,
  type AlertContext,
  type AlertCosts,
  presentAlert,
  presentNotification,
} from './alert-model.ts'
import { AlertTimelineResponse, presentAlertTimeline } from './alert-timeline-model.ts'
import { readAlertTimeline } from './alert-timeline.ts'

type Deps = {
  db: Database
  clock: Clock
  guard: GuardDeps
  alertCosts: AlertCosts
  /** Called after the commit of an acknowledgement, or of its withdrawal. */
  onAcknowledgementChanged: (changed: Acknowledgeable) => void
}

const success = true as const
const params = t.Object({ id: Id('alert') })
const TimelineQuery = t.Object(AlertFilter)

/** `/notifications/alerts`: firing and ended alerts, and their acknowledgements. */
export const alertRoutes = ({ guard, alertCosts, onAcknowledgementChanged, ...deps }: Deps) => {
  const { db, clock } = deps

  /** Reads the data from other tables that the responses about these alerts need. */
  async function contextOf(organizationId: number, rows: ListedAlert[]): Promise<AlertContext> {
    const nowMs = clock.now()
    const firing = rows.filter(({ ended_at }) => ended_at === null)
    const sloIds = rows.map(({ slo_id }) => slo_id)
    const latest = await listLatestBurnRates(db.read, organizationId, firing)
    return {
      nowMs,
      silences: createSilenceIndex(await listNamedInForce(db.read, { organizationId, nowMs, sloIds })),
      burnRates: new Map(latest.map((state) => [state.slo_id, parseBurnRates(state)])),
      costs: await alertCosts(
        organizationId,
        rows.map(({ id, slo_id, began_at, ended_at }) => {
          return { id, sloId: slo_id, beganSeconds: began_at, endedSeconds: ended_at }
        }),
      ),
    }
  }

  async function responseOf(organizationId: number, row: ListedAlert) {
    const notifications = (await listNotificationsOf(db.read, [row.id])).map(presentNotification)
    return { success, data: { ...presentAlert(row, await contextOf(organizationId, [row])), notifications } }
  }

  /** Reports the change of an acknowledgement to `onAcknowledgementChanged`; returns the response about the alert. */
  async function publishChange(
    { organizationId }: Caller,
    { alert, shared }: { alert: ListedAlert; shared: Acknowledgeable },
  ) {
    onAcknowledgementChanged(shared)
    return responseOf(organizationId, alert)
  }

  return new Elysia({ prefix: '/notifications/alerts', tags: ['Alerting'] })
    .use(signedIn({ ...guard, writes: 'member', readBody: readJsonOrNothing }))
    .get(
      '/',
      async ({ caller: { organizationId }, query }) => {
        const page = readPage(query, 50)
        const filter = filterOf(query)
        const { rows, total } = await listAlerts(db.read, organizationId, { ...filter, ...page })
        const ids = rows.map(({ id }) => id)
        const notifications = query.include && (await listNotificationsOf(db.read, ids))
        const notificationsByAlert = notifications && Map.groupBy(notifications, ({ alert_id }) => alert_id)
        const context = await contextOf(organizationId, rows)
        const alerts = rows.map((row) => ({
          ...presentAlert(row, context),
          ...(notificationsByAlert && {
            notifications: (notificationsByAlert.get(row.id) ?? []).map(presentNotification),
          }),
        }))
        return { success, alerts, ...pageFields(page, total) }
      },
      operation('listAlerts', 'List alerts', {
        query: AlertListQuery,
        200: AlertList,
        description:
          'Firing alerts before ended ones, each newest first. With `start` and `end`: those that fired at some time between them.',
      }),
    )
    .get(
      '/timeline',
      async ({ caller: { organizationId }, query }) =>
        presentAlertTimeline(await readAlertTimeline(deps, organizationId, filterOf(query))),
      operation('getAlertTimeline', 'The alerts of a range of time, with their notifications and silences', {
        query: TimelineQuery,
        200: AlertTimelineResponse,
        description: 'Without `start` and `end`: of the last seven days. At most 500 alerts, the newest.',
      }),
    )
    .get(
      '/:id',
      async ({ caller: { organizationId }, params }) =>
        responseOf(organizationId, await getAlert(db.read, organizationId, params.id)),
      operation('getAlert', 'One alert, with its notifications', {
        description:
          'Whether it fires or has ended. `budget_percent` is what it cost of the error budget, `burn_rate` is ' +
          'there while a tier fires.',
        params,
        200: AlertResponse,
      }),
    )
    .post(
      '/:id/acknowledge',
      async ({ caller, params, body }) => publishChange(caller, await acknowledge(deps, caller, params.id, body)),
      operation('acknowledgeAlert', 'Acknowledge a firing alert: nobody is notified of it again', {
        params,
        body: Acknowledgement,
        200: AlertResponse,
        409: 'The alert has ended',
        description:
          'For members. The body may be absent. The first acknowledgement stays. The `note` of a later request replaces the stored note; a request without one leaves it. The recovery is still sent, and so is what is worse: a higher severity ends the acknowledgement. An open incident and its alerts are acknowledged together.',
      }),
    )
    .delete(
      '/:id/acknowledge',
      async ({ caller, params }) => publishChange(caller, await withdrawAcknowledgement(deps, caller, params.id)),
      operation('withdrawAcknowledgement', 'Take an acknowledgement back', {
        description:
          'For members. From then on there are notifications of the alert again, and of its open incident and the other ' +
          'alerts of that incident. In incident tools the acknowledgement stays.',
        params,
        200: AlertResponse,
        409: 'The alert has ended',
      }),
    )
}

type FilterQuery = Omit<typeof AlertListQuery.static, 'page' | 'page_size' | 'include'>

/** Converts query parameters to a filter of alerts; the timeline ignores its `state`. Throws `invalid` for a start that is not before the end. */
function filterOf(query: FilterQuery) {
  const { state = 'firing', slo_id: sloId, team_id: teamId, severity, incident, start, end } = query
  if (start !== undefined && end !== undefined && start >= end) throw invalid('start', 'must be before the end')
  return { state, sloId, teamId, severity, isAlone: incident === 'none', startMs: start, endMs: end }
}
