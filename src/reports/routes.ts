import { Elysia, t } from 'elysia'
import { AppError } from '../errors.ts'
import { maxUnstreamedCharacters } from '../http/bodies/streamed-responses.ts'
import { deleteHandler } from '../http/delete-handler.ts'
import { textResponse } from '../http/openapi/by-hand.ts'
import { operation } from '../http/openapi/operation.ts'
import { pageFields, readPage } from '../http/paging.ts'
import { Id } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import {
  DeletedReport,
  type formats,
  presentReport,
  ReportAnswer,
  ReportCreation,
  ReportList,
  ReportListQuery,
  ReportQuery,
  RequestedReport,
} from './model.ts'
import { type CsvTable, renderCsv } from './render-csv.ts'
import { renderHtml } from './render-html.ts'
import type { ReportData } from './report.ts'
import { fileName } from './report-file.ts'
import { deleteReport, type ReportDeps, requestReport } from './reports.ts'
import { getSchedule } from './schedule-store.ts'
import { findReportData, getReport, listReports } from './store.ts'

type Deps = ReportDeps & { guard: GuardDeps; reports: { soon(): void } }

const params = t.Object({ id: Id('report') })
const success = true as const

/** `/reports`: reports about calendar periods that have ended. */
export const reportRoutes = ({ guard, reports, ...deps }: Deps) =>
  new Elysia({ prefix: '/reports', tags: ['Reports'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, query }) => {
        const page = readPage(query, 20)
        if (query.schedule_id !== undefined) await getSchedule(deps.db.read, caller.organizationId, query.schedule_id)
        const filter = { ...page, scheduleId: query.schedule_id }
        const { rows, total } = await listReports(deps.db.read, caller.organizationId, filter)
        return { success, reports: rows.map(presentReport), ...pageFields(page, total) }
      },
      operation('listReports', 'List reports, newest first', {
        description: 'Without their data; with `schedule_id` those of one schedule.',
        query: ReportListQuery,
        200: ReportList,
        404: 'There is no such schedule',
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await requestReport(deps, caller, body)
        reports.soon()
        set.status = 201
        return { success, message: 'Report requested', data: presentReport(row) }
      },
      operation('createReport', 'Make a report about a period that has ended', {
        description:
          'For members. `day` is a day of the period, in its time zone; without it, the last one that has ended. It is made in the ' +
          'background, half an hour after the end of the period at the earliest, and does not change afterwards.',
        body: ReportCreation,
        201: RequestedReport,
      }),
    )
    .get(
      '/:id',
      async ({ caller: { organizationId }, params, query, request }) => {
        const { format = 'json', table = 'slos' } = query
        const row = await getReport(deps.db.read, organizationId, params.id)
        const json = await findReportData(deps.db.read, organizationId, params.id)
        if (format === 'json') {
          if (json === null || json.length <= maxUnstreamedCharacters) {
            return { success, data: { ...presentReport(row), report: json === null ? null : JSON.parse(json) } }
          }
          const head = JSON.stringify(presentReport(row)).slice(0, -1)
          const pieces = [`{"success":true,"data":${head},"report":`, json, '}}']
          const response = await guard.streamedResponses(organizationId, pieces)
          return response as unknown as ReportAnswer // a Response bypasses the schema
        }
        if (json === null) throw new AppError('conflict', 'The report is not made yet')
        const data = JSON.parse(json) as ReportData
        const hasBody = request.method === 'GET'
        const file = fileOf(data, { format, table, hasBody })
        const response = await guard.streamedResponses(organizationId, file.pieces)
        for (const [name, value] of Object.entries(file.headers)) response.headers.set(name, value)
        return response as unknown as ReportAnswer
      },
      operation('getReport', 'One report with its data, or as a file', {
        description:
          'With `format=html` one file without script and without anything to load, for a browser, mail or paper; with `format=csv` a ' +
          'table of it: `slos` unless `table` is sent.',
        params,
        query: ReportQuery,
        200: ReportAnswer,
        409: 'It is not made yet, and has no file',
        responses: { 200: textResponse('The report, or with `format` a file', 'text/html', 'text/csv') },
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, deleteReport, { success, message: 'Report deleted' }),
      operation('deleteReport', 'Delete a report', {
        description: 'For members. Its schedule does not make it again.',
        params,
        200: DeletedReport,
      }),
    )

type FileOptions = { format: Exclude<(typeof formats)[number], 'json'>; table: CsvTable; hasBody: boolean }

/** File of a report in pieces. Its own policy allows its style and nothing else, should a browser show it at our address. */
function fileOf(data: ReportData, { format, table, hasBody }: FileOptions) {
  const isHtml = format === 'html'
  const pieces = isHtml ? renderHtml(data) : renderCsv(data, table)
  const name = fileName(data, isHtml || table === 'slos' ? format : `${table}.${format}`)
  const headers: Record<string, string> = {
    'content-type': isHtml ? 'text/html; charset=utf-8' : 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    ...(isHtml && { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }),
  }
  return { pieces: hasBody ? pieces : [], headers }
}
