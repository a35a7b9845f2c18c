import type { Db } from '../../db/open.ts'
import { pageOfParts } from '../../db/page-of.ts'
import type {
  AlertRow,
  IncidentAccountRow,
  IncidentEventRow,
  IncidentNoteRow,
  IncidentRow,
  IncidentSeverity,
  IncidentState,
  NotificationRow,
  SloRow,
} from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

export const incidentFilters = ['open', 'closed', 'all'] as const

/** Incident with its SLO's name, labels and burn rate. `notified`: number of its notifications, without throttled ones. */
export type ListedIncident = IncidentRow & {
  slo_name: string
  labels: SloRow['labels']
  target: number
  time_window: SloRow['time_window']
  time_zone: SloRow['time_zone']
  burn_rate_now: number | null
  /** Last measured SLI of its SLO, in percent; null: not yet. */
  own_value: number | null
  /** Events in its SLO's window; null: the SLO counts time, or was not measured yet. */
  total_events: number | null
  notified: number
  /** Begin of the next incident of its SLO, in Unix seconds; null: there is none. */
  next_began_at: number | null
}

/** Filter of incidents. `startMs`, `endMs`: the incident was open at some time between them. */
type IncidentFilter = {
  sloId?: number | undefined
  teamId?: number | undefined
  severity?: IncidentSeverity | undefined
  startMs?: number | undefined
  endMs?: number | undefined
}

type ListOptions = IncidentFilter & { state: (typeof incidentFilters)[number]; page: number; pageSize: number }

/** Page of an organization's incidents, open ones first, each group newest first, with the total count. */
export async function listIncidents(
  db: Db,
  organizationId: number,
  { state, page, pageSize, ...filter }: ListOptions,
): Promise<{ rows: ListedIncident[]; total: number }> {
  const listed = filtered(incidentsOfOrganization(db, organizationId), filter)
  const open = listed.where('incidents.closed_at', 'is', null)
  const closed = listed.where('incidents.closed_at', 'is not', null)
  const parts = { open: [open], closed: [closed], all: [open, closed] }[state] // separate queries: each has its index
  return pageOfParts(parts, { page, pageSize }, (part) => withDetails(part).orderBy('incidents.id', 'desc'))
}

/**
 * Severity, begin and end, in Unix seconds, of an SLO's incidents that are open or were closed since a time. `ended_at` null: it
 * still fails.
 */
export async function listIncidentSpans(db: Db, sloId: number, startSeconds: number) {
  const listed = db.selectFrom('incidents').where('slo_id', '=', sloId)
  const ended = listed.select(({ fn }) => fn.coalesce('recovered_at', 'closed_at').as('ended_at'))
  const spans = ended.select(['id', 'severity', 'began_at'])
  const recent = spans.where(({ eb, or }) => or([eb('closed_at', 'is', null), eb('closed_at', '>=', startSeconds)]))
  return recent.orderBy('id').execute()
}

/** Incident of an organization. Throws `not_found`. */
export async function getIncident(db: Db, organizationId: number, id: number): Promise<ListedIncident> {
  const listed = incidentsOfOrganization(db, organizationId).where('incidents.id', '=', id)
  const row = await withDetails(listed).executeTakeFirst()
  if (!row) throw notFound('Incident')
  return row
}

type OpenState = Exclude<IncidentState, 'closed'>

const zeroCounts: Record<OpenState, number> = { down: 0, burning_fast: 0, burning: 0, recovering: 0, unknown: 0 }

/** Counts an organization's open incidents by state, and those of them that nobody has acknowledged. */
export async function countOpen(
  db: Db,
  organizationId: number,
): Promise<{ unacknowledged: number; byState: Record<OpenState, number> }> {
  const open = incidentsOfOrganization(db, organizationId).where('closed_at', 'is', null)
  const rows = await open
    .select(({ fn }) => [
      'incidents.state',
      fn.countAll<number>().as('count'),
      fn.count<number>('acknowledged_at').as('acknowledged'),
    ])
    .groupBy('incidents.state')
    .execute()
  return {
    unacknowledged: rows.reduce((sum, { count, acknowledged }) => sum + count - acknowledged, 0),
    byState: { ...zeroCounts, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) },
  }
}

/** Maximum of an incident's alerts, notifications and events in a response. */
const maxRowsOfAKind = 500

/** Newest 500 alerts of an incident, oldest first. */
export async function listAlertsOf(db: Db, incidentId: number): Promise<AlertRow[]> {
  const alerts = db.selectFrom('alerts').selectAll().where('incident_id', '=', incidentId)
  return (await alerts.orderBy('id', 'desc').limit(maxRowsOfAKind).execute()).toReversed()
}

export type IncidentNotification = Pick<
  NotificationRow,
  | 'id'
  | 'alert_id'
  | 'channel_id'
  | 'channel_type'
  | 'status'
  | 'event'
  | 'incident_event'
  | 'error_message'
  | 'sent_at'
  | 'created_at'
> & {
  /** null: the channel has been deleted. */
  channel_name: string | null
}

/** Newest 500 notifications of an incident and its alerts, including throttled ones and those about several incidents, oldest first. */
export async function listNotificationsOfIncident(db: Db, incidentId: number): Promise<IncidentNotification[]> {
  const rows = await db
    .selectFrom('notifications')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .select(['notifications.id', 'notifications.alert_id', 'notifications.channel_id', 'notifications.channel_type'])
    .select(['notifications.status', 'notifications.event', 'notifications.incident_event', 'notifications.sent_at'])
    .select(['notifications.error_message', 'notifications.created_at', 'channels.name as channel_name'])
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('notifications.incident_id', '=', incidentId),
        eb('notifications.alert_id', 'in', selectFrom('alerts').select('id').where('incident_id', '=', incidentId)),
        eb(
          'notifications.id',
          'in',
          selectFrom('notification_incidents').select('notification_id').where('incident_id', '=', incidentId),
        ),
      ]),
    )
    .orderBy('notifications.id', 'desc')
    .limit(maxRowsOfAKind)
    .execute()
  return rows.toReversed()
}

/** Newest 500 events in the history of an incident, oldest first. */
export async function listIncidentEvents(db: Db, incidentId: number): Promise<IncidentEventRow[]> {
  const events = db.selectFrom('incident_events').selectAll().where('incident_id', '=', incidentId)
  return (await events.orderBy('id', 'desc').limit(maxRowsOfAKind).execute()).toReversed()
}

/** Notes of an incident, oldest first. */
export async function listNotes(db: Db, incidentId: number): Promise<IncidentNoteRow[]> {
  return db.selectFrom('incident_notes').selectAll().where('incident_id', '=', incidentId).orderBy('id').execute()
}

/** Written accounts of these incidents, without those that were deleted. */
export async function listAccounts(db: Db, incidentIds: number[]): Promise<IncidentAccountRow[]> {
  if (incidentIds.length === 0) return []
  const accounts = db.selectFrom('incident_accounts').selectAll().where('incident_id', 'in', incidentIds)
  return accounts.where('text', '<>', '').execute()
}

/** Lists the open incidents of these SLOs, and the incidents with these ids, with the columns sent to WebSocket clients. */
export async function listLiveIncidents(db: Db, { sloIds, ids }: { sloIds: number[]; ids: number[] }) {
  const rows = async (listed: ReturnType<typeof liveIncidents>) => listed.execute()
  const open = liveIncidents(db).where('slo_id', 'in', sloIds).where('closed_at', 'is', null)
  const named = liveIncidents(db).where('id', 'in', ids)
  const found = [...(sloIds.length > 0 ? await rows(open) : []), ...(ids.length > 0 ? await rows(named) : [])]
  return [...new Map(found.map((row) => [row.id, row])).values()]
}

function liveIncidents(db: Db) {
  return db
    .selectFrom('incidents')
    .select(['id', 'organization_id', 'slo_id', 'severity', 'state', 'began_at', 'opened_at', 'since', 'recovered_at'])
    .select([
      'closed_at',
      'close_reason',
      'relapses',
      'cause',
      'acknowledged_at',
      'acknowledged_by_name',
      'acknowledgement_note',
    ])
}

function incidentsOfOrganization(db: Db, organizationId: number) {
  return db.selectFrom('incidents').where('incidents.organization_id', '=', organizationId)
}

function filtered(incidents: ReturnType<typeof incidentsOfOrganization>, filter: IncidentFilter) {
  const { sloId, teamId, severity, startMs, endMs } = filter
  return incidents
    .$if(sloId !== undefined, (q) => q.where('incidents.slo_id', '=', sloId ?? 0))
    .$if(severity !== undefined, (q) => q.where('incidents.severity', '=', severity ?? 'critical'))
    .$if(endMs !== undefined, (q) => q.where('incidents.began_at', '<', (endMs ?? 0) / 1000))
    .$if(startMs !== undefined, (q) =>
      q.where((is) =>
        is.or([is('incidents.closed_at', 'is', null), is('incidents.closed_at', '>', (startMs ?? 0) / 1000)]),
      ),
    )
    .$if(teamId !== undefined, (q) =>
      q.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('slos')
            .select('slos.id')
            .whereRef('slos.id', '=', 'incidents.slo_id')
            .where('slos.team_id', '=', teamId ?? 0),
        ),
      ),
    )
}

function withDetails(incidents: ReturnType<typeof incidentsOfOrganization>) {
  return incidents
    .innerJoin('slos', 'slos.id', 'incidents.slo_id')
    .leftJoin('slo_states', (on) =>
      on.onRef('slo_states.slo_id', '=', 'slos.id').onRef('slo_states.revision', '=', 'slos.revision'),
    )
    .selectAll('incidents')
    .select(['slos.name as slo_name', 'slos.labels', 'slos.target', 'slos.time_window', 'slos.time_zone'])
    .select(['slo_states.burn_rate_now', 'slo_states.own_value', 'slo_states.total_events'])
    .select(({ selectFrom }) =>
      selectFrom('incidents as later')
        .whereRef('later.slo_id', '=', 'incidents.slo_id')
        .whereRef('later.id', '>', 'incidents.id')
        .orderBy('later.id')
        .limit(1)
        .select('later.began_at')
        .as('next_began_at'),
    )
    .select(({ selectFrom }) =>
      selectFrom('notifications')
        .where(({ eb, or }) =>
          or([
            eb('notifications.incident_id', '=', eb.ref('incidents.id')),
            eb(
              'notifications.alert_id',
              'in',
              selectFrom('alerts').select('alerts.id').whereRef('alerts.incident_id', '=', 'incidents.id'),
            ),
            eb(
              'notifications.id',
              'in',
              selectFrom('notification_incidents as named')
                .select('named.notification_id')
                .whereRef('named.incident_id', '=', 'incidents.id'),
            ),
          ]),
        )
        .where('notifications.status', '<>', 'throttled')
        .select(({ fn }) => fn.countAll<number>().as('notified'))
        .$asScalar()
        .$notNull()
        .as('notified'),
    )
}
