import { minuteStartSeconds } from '../../clock.ts'
import { Elysia, t } from 'elysia'
import { invalid } from '../../errors.ts'
import { operation } from '../../http/openapi/operation.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, readJsonOrNothing, signedIn } from '../../http/signed-in.ts'
import type { Database } from '../../db/open.ts'
import { Acknowledgement, type AlertCosts } from '../alerts/alert-model.ts'
import type { NotifyDeps } from '../alerts/notify-alerts.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import { listNamedInForce } from '../silences/silence-store.ts'
import { findAccount } from './incident-account.ts'
import { presentAccount } from './incident-account-model.ts'
import {
  acknowledgeIncident,
  addNote,
  closeIncidentByHand,
  withdrawIncidentAcknowledgement,
} from './incident-actions.ts'
import {
  countOpen,
  getIncident,
  listAlertsOf,
  listIncidentEvents,
  type ListedIncident,
  listIncidents,
  listNotes,
  listNotificationsOfIncident,
} from './incident-list-store.ts'
import {
  endOf,
  type IncidentContext,
  IncidentList,
  IncidentListQuery,
  IncidentNote,
  IncidentResponse,
  presentIncident,
  presentIncidentAlert,
  presentIncidentEvent,
  presentNote,
  presentNotNotified,
  presentSent,
} from './incident-model.ts'
import { listDeploysBefore } from './incident-deploy-store.ts'
import { listNotNotified } from './not-notified.ts'
import type { Acknowledgeable } from './shared-acknowledgement.ts'

type Deps = NotifyDeps & {
  db: Database
  guard: GuardDeps
  alertCosts: AlertCosts
  /** Called after the commit of a change of an incident or its acknowledgement. */
  onChanged: (changed: Acknowledgeable) => void
}

const success = true as const
const params = t.Object({ id: Id('incident') })
const closed = 'The incident is closed'

/** `/incidents`: open and closed incidents, their acknowledgements and notes. */
export const incidentRoutes = ({ guard, alertCosts, onChanged, ...deps }: Deps) => {
  const { db, clock } = deps

  /** Reads the data from other tables that the responses about these incidents need. */
  async function contextOf(organizationId: number, rows: ListedIncident[]): Promise<IncidentContext> {
    const nowMs = clock.now()
    const sloIds = rows.map(({ slo_id }) => slo_id)
    const spans = rows.map((row) => {
      const { id, slo_id: sloId, began_at: beganSeconds, next_began_at: nextSeconds } = row
      const endedSeconds = endOf(row)
      if (nextSeconds === null || endedSeconds === null) return { id, sloId, beganSeconds, endedSeconds }
      // costs count whole minutes: one that two incidents share counts for the later one only
      return { id, sloId, beganSeconds, endedSeconds: Math.min(endedSeconds, minuteStartSeconds(nextSeconds * 1000)) }
    })
    return {
      nowMs,
      silences: createSilenceIndex(await listNamedInForce(db.read, { organizationId, nowMs, sloIds })),
      costs: await alertCosts(organizationId, spans),
      deploys: await listDeploysBefore(
        db.read,
        rows.map(({ id }) => id),
      ),
    }
  }

  /** Reads who was notified of an incident; with `not_notified` also who was not, and why. */
  async function notifiedOf(incident: ListedIncident, include: 'notifications' | 'not_notified', nowMs: number) {
    const notifications = await listNotificationsOfIncident(db.read, incident.id)
    const sent = { notifications: notifications.map(presentSent) }
    if (include === 'notifications') return sent
    const alerts = await listAlertsOf(db.read, incident.id)
    const others = await listNotNotified(db.read, { incident, alerts, notifications, nowMs })
    return { ...sent, not_notified: others.map(presentNotNotified) }
  }

  async function responseOf(organizationId: number, id: number) {
    const row = await getIncident(db.read, organizationId, id)
    const context = await contextOf(organizationId, [row])
    const alerts = await listAlertsOf(db.read, id)
    const notifications = await listNotificationsOfIncident(db.read, id)
    const about = { incident: row, alerts, notifications, nowMs: context.nowMs }
    const data = {
      ...presentIncident(row, context),
      alerts: alerts.map(presentIncidentAlert),
      history: (await listIncidentEvents(db.read, id)).map(presentIncidentEvent),
      notes: (await listNotes(db.read, id)).map(presentNote),
      account: presentAccount(await findAccount(db.read, id)),
      notifications: notifications.map(presentSent),
      not_notified: (await listNotNotified(db.read, about)).map(presentNotNotified),
    }
    return { success, data }
  }

  return new Elysia({ prefix: '/incidents', tags: ['Incidents'] })
    .use(signedIn({ ...guard, writes: 'member', readBody: readJsonOrNothing }))
    .get(
      '/',
      async ({ caller: { organizationId }, query }) => {
        const page = readPage(query, 50)
        const { rows, total } = await listIncidents(db.read, organizationId, { ...filterOf(query), ...page })
        const context = await contextOf(organizationId, rows)
        const incidents = []
        for (const row of rows) {
          const notified = query.include && (await notifiedOf(row, query.include, context.nowMs))
          incidents.push({ ...presentIncident(row, context), ...notified })
        }
        const { unacknowledged: open_unacknowledged, byState: open_by_state } = await countOpen(db.read, organizationId)
        return { success, incidents, open_unacknowledged, open_by_state, ...pageFields(page, total) }
      },
      operation('listIncidents', 'List incidents', {
        query: IncidentListQuery,
        200: IncidentList,
        description:
          'Those that are open; `state=closed` or `all` for the past. Open ones first, each newest first, 50 to a page where ' +
          '`page_size` is absent. With `start` and `end`: those that were open at some time between them. With ' +
          '`include=notifications` each has its notifications, as in the answer about one incident; with `include=not_notified` ' +
          'also the channels that were not notified.',
      }),
    )
    .get(
      '/:id',
      async ({ caller: { organizationId }, params }) => responseOf(organizationId, params.id),
      operation('getIncident', 'One incident, with its alerts, notes and notifications', {
        description:
          'Open or closed. `not_notified` has the channels that were not notified of it, each with one reason, as far as what is ' +
          'stored shows it.',
        params,
        200: IncidentResponse,
      }),
    )
    .post(
      '/:id/acknowledge',
      async ({ caller, params, body }) => {
        onChanged(await acknowledgeIncident(deps, caller, params.id, body))
        return responseOf(caller.organizationId, params.id)
      },
      operation('acknowledgeIncident', 'Acknowledge an open incident and its alerts: nobody is notified of it again', {
        params,
        body: Acknowledgement,
        200: IncidentResponse,
        409: closed,
        description:
          'For members. The body may be absent. The first acknowledgement stays: a later request changes only its `note`, if it has one. The ' +
          'recovery is still sent. A higher severity, and failing again after it recovered, end the acknowledgement.',
      }),
    )
    .delete(
      '/:id/acknowledge',
      async ({ caller, params }) => {
        onChanged(await withdrawIncidentAcknowledgement(deps, caller, params.id))
        return responseOf(caller.organizationId, params.id)
      },
      operation('withdrawIncidentAcknowledgement', 'Take the acknowledgement of an incident and its alerts back', {
        description:
          'For members. From then on channels are notified of the incident as before. At an incident tool it stays acknowledged.',
        params,
        200: IncidentResponse,
        409: closed,
      }),
    )
    .post(
      '/:id/note',
      async ({ caller, params, body }) => {
        await addNote(deps, caller, params.id, body.note)
        return responseOf(caller.organizationId, params.id)
      },
      operation('addIncidentNote', 'Add a note to an incident', {
        description: `For members. To a closed one too; an incident has at most 200.`,
        params,
        body: IncidentNote,
        200: IncidentResponse,
        409: 'The incident has 200 notes',
      }),
    )
    .post(
      '/:id/close',
      async ({ caller, params }) => {
        onChanged(await closeIncidentByHand(deps, caller, params.id))
        return responseOf(caller.organizationId, params.id)
      },
      operation('closeIncident', 'Close an open incident by hand', {
        description:
          'For members. Its firing alerts stay, and open no other incident until they have ended. If it has not recovered, the channels ' +
          'that were notified of it are notified of its end.',
        params,
        200: IncidentResponse,
        409: closed,
      }),
    )
}

/** Converts query parameters to a filter of `listIncidents`. Throws `invalid` for a start that is not before the end. */
function filterOf(query: Omit<typeof IncidentListQuery.static, 'page' | 'page_size' | 'include'>) {
  const { state = 'open', slo_id: sloId, team_id: teamId, severity, start: startMs, end: endMs } = query
  if (startMs !== undefined && endMs !== undefined && startMs >= endMs) throw invalid('start', 'must be before the end')
  return { state, sloId, teamId, severity, startMs, endMs }
}
