import type { Db } from '../../db/open.ts'
import type { AlertRow, NotificationRow, SloRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

export const alertFilters = ['firing', 'ended', 'all'] as const

/** With its SLO's name and labels, null of a condition of nines itself; `notified`: how many notifications of it were not throttled. */
export type ListedAlert = AlertRow & { slo_name: string | null; labels: SloRow['labels'] | null; notified: number }

export type AlertNotification = Pick<
  NotificationRow,
  'id' | 'alert_id' | 'channel_id' | 'channel_type' | 'status' | 'event' | 'error_message' | 'created_at'
> & {
  /** Null where the channel has been deleted. */
  channel_name: string | null
}

type ListOptions = {
  state: (typeof alertFilters)[number]
  sloId: number | undefined
  page: number
  pageSize: number
}

/** One page of an organization's alerts, newest first, and how many there are in all. */
export async function listAlerts(
  db: Db,
  organizationId: number,
  { state, sloId, page, pageSize }: ListOptions,
): Promise<{ rows: ListedAlert[]; total: number }> {
  let listed = ofOrganization(db, organizationId)
  if (state !== 'all') listed = listed.where('alerts.ended_at', state === 'firing' ? 'is' : 'is not', null)
  if (sloId !== undefined) listed = listed.where('alerts.slo_id', '=', sloId)
  const { total } = await listed.select((q) => q.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await described(listed)
    .orderBy('alerts.id', 'desc')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  return { rows, total }
}

export async function getAlert(db: Db, organizationId: number, id: number): Promise<ListedAlert> {
  const row = await described(ofOrganization(db, organizationId)).where('alerts.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Alert')
  return row
}

/** Every alert of an organization's active SLOs that has not ended, newest first. */
export async function listFiringAlerts(
  db: Db,
  organizationId: number,
): Promise<(AlertRow & { slo_id: number; labels: string })[]> {
  return db
    .selectFrom('alerts')
    .innerJoin('slos', 'slos.id', 'alerts.slo_id')
    .selectAll('alerts')
    .select(['slos.id as slo_id', 'slos.labels'])
    .where('alerts.organization_id', '=', organizationId)
    .where('alerts.ended_at', 'is', null)
    .where('slos.active', '=', 1)
    .orderBy('alerts.id', 'desc')
    .execute()
}

/** The notifications of these alerts and of their ends, throttled ones too; oldest first. */
export async function listNotificationsOf(db: Db, alertIds: number[]): Promise<AlertNotification[]> {
  return db
    .selectFrom('notifications')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .select([
      'notifications.id',
      'notifications.alert_id',
      'notifications.channel_id',
      'notifications.channel_type',
      'notifications.status',
      'notifications.event',
      'notifications.error_message',
      'notifications.created_at',
      'channels.name as channel_name',
    ])
    .where('notifications.alert_id', 'in', alertIds)
    .orderBy('notifications.id')
    .execute()
}

function ofOrganization(db: Db, organizationId: number) {
  return db.selectFrom('alerts').where('alerts.organization_id', '=', organizationId)
}

function described(alerts: ReturnType<typeof ofOrganization>) {
  return alerts
    .leftJoin('slos', 'slos.id', 'alerts.slo_id')
    .selectAll('alerts')
    .select(['slos.name as slo_name', 'slos.labels'])
    .select(({ selectFrom }) =>
      selectFrom('notifications')
        .whereRef('notifications.alert_id', '=', 'alerts.id')
        .where('notifications.status', '<>', 'throttled')
        .select(({ fn }) => fn.countAll<number>().as('notified'))
        .$asScalar()
        .$notNull()
        .as('notified'),
    )
}
