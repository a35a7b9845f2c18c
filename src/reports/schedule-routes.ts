import { Elysia, t } from 'elysia'
import { deleteHandler } from '../http/delete-handler.ts'
import { operation } from '../http/openapi/operation.ts'
import { pageFields, PageQuery, readPage } from '../http/paging.ts'
import { Id } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import {
  ChangedSchedule,
  DeletedReport,
  presentSchedule,
  ScheduleCreation,
  ScheduleList,
  ScheduleUpdate,
} from './model.ts'
import { listSchedules } from './schedule-store.ts'
import { changeSchedule, createSchedule, deleteSchedule, type ScheduleDeps } from './schedules.ts'

type Deps = ScheduleDeps & { guard: GuardDeps }

const params = t.Object({ id: Id('schedule') })
const success = true as const

/** `/reports/schedules`: reports that are made of each period, and sent through channels. */
export const reportScheduleRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/reports/schedules', tags: ['Reports'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, query }) => {
        const page = readPage(query, 20)
        const { rows, total } = await listSchedules(deps.db.read, caller.organizationId, page)
        return { success, schedules: rows.map(presentSchedule), ...pageFields(page, total) }
      },
      operation('listReportSchedules', 'List schedules of reports', {
        description: 'In the order of their ids, 20 to a page where `page_size` is absent.',
        query: t.Object(PageQuery),
        200: ScheduleList,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await createSchedule(deps, caller, body)
        set.status = 201
        return { success, message: 'Schedule created', data: presentSchedule(row) }
      },
      operation('createReportSchedule', 'Have a report made of each week, month or quarter', {
        description:
          'For members. It is made half an hour after the end of each period, the first time of the one that runs now, and announced ' +
          'through the channels: as mail with the figures and the HTML file. Of periods that ended while nines was off the newest six ' +
          'are made up for. A channel that opens an incident for each message is refused.',
        body: ScheduleCreation,
        201: ChangedSchedule,
      }),
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => {
        const row = await changeSchedule(deps, caller, params.id, body)
        return { success, message: 'Schedule updated', data: presentSchedule(row) }
      },
      operation('updateReportSchedule', 'Change a schedule of reports; fields that are not sent stay', {
        description: 'For members. Another interval or time zone begins with the period that runs now.',
        params,
        body: ScheduleUpdate,
        200: ChangedSchedule,
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, deleteSchedule, { success, message: 'Schedule deleted' }),
      operation('deleteReportSchedule', 'Delete a schedule of reports', {
        description: 'For members. The reports that it made stay, and no more are made.',
        params,
        200: DeletedReport,
      }),
    )
