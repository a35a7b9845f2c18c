import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../clock.ts'
import { PageFields, PageQuery } from '../http/paging.ts'
import { Anything, BodyId, Name, OneOf, QueryId, TimeZone, timeZoneText } from '../http/schemas.ts'
import { parseSelector } from '../notifications/rules/selectors.ts'
import type { ReportScheduleRow } from '../db/tables/tables.ts'
import { periodTitle } from './period.ts'
import { csvTables } from './render-csv.ts'
import { channelIdsOf } from './schedules.ts'
import type { ListedReport } from './store.ts'

const intervals = ['week', 'month', 'quarter'] as const
const statuses = ['pending', 'ready', 'failed'] as const
const resolutions = ['1m', '1h', '1d'] as const
const eventKinds = ['deploy', 'change', 'note'] as const
export const formats = ['json', 'html', 'csv'] as const

const ReportSelector = t.Object(
  {
    all: t.Optional(t.Literal(true)),
    labels: t.Optional(t.Record(t.String(), t.String(), { description: 'the SLO has all of them' })),
    team_id: t.Optional(t.Number({ description: 'the SLO belongs to this team' })),
  },
  { description: 'one of `all`, `labels` and `team_id`: which SLOs' },
)

const selector = t.Optional(Anything(t.Nullable(ReportSelector))) // read by readSelector: Elysia changes records before they get here

export const ReportCreation = t.Object(
  {
    interval: OneOf(intervals),
    time_zone: t.Optional({ ...TimeZone, description: timeZoneText }),
    day: t.Optional(t.String({ maxLength: 10, description: 'a date such as 2026-10-01, in the period' })),
    selector,
    name: t.Optional(Name({ max: 200 })),
  },
  {
    title: 'ReportCreation',
    examples: [{ interval: 'month', time_zone: 'Europe/Zurich', day: '2026-10-01', selector: { team_id: 1 } }],
  },
)

const scheduleFields = {
  time_zone: t.Optional({ ...TimeZone, description: timeZoneText }),
  selector,
  channel_ids: t.Optional(t.Array(BodyId('channel'), { maxItems: 20, description: 'at most 20 ids of channels' })),
}

export const ScheduleCreation = t.Object(
  { name: Name({ max: 200 }), interval: OneOf(intervals), ...scheduleFields },
  {
    title: 'ReportScheduleCreation',
    examples: [
      {
        name: 'Monthly report',
        interval: 'month',
        time_zone: 'Europe/Zurich',
        selector: { all: true },
        channel_ids: [1],
      },
    ],
  },
)

export const ScheduleUpdate = t.Object(
  { name: t.Optional(Name({ max: 200 })), interval: t.Optional(OneOf(intervals)), ...scheduleFields },
  { title: 'ReportScheduleUpdate', examples: [{ channel_ids: [1] }] },
)

export const ReportListQuery = t.Object({ ...PageQuery, schedule_id: t.Optional(QueryId) })
export const ReportQuery = t.Object({ format: t.Optional(OneOf(formats)), table: t.Optional(OneOf(csvTables)) })

const MaybeNumber = (description: string) => t.Nullable(t.Number({ description: `${description}; null: not known` }))
const Count = (description: string) => t.Number({ description: `the number of ${description}` })

const fields = {
  id: t.Number(),
  name: t.String(),
  title: t.String({ description: 'the period in words' }),
  interval: OneOf(intervals),
  time_zone: t.String({ description: 'IANA name' }),
  selector: ReportSelector,
  starts_at: t.String(),
  ends_at: t.String(),
  status: OneOf(statuses, 'pending until it is made; failed: five attempts to make it failed'),
  slo_count: t.Nullable(Count('SLOs; null until it is made')),
  met_count: t.Nullable(Count('SLOs that met their target; null until it is made')),
  missed_count: t.Nullable(Count('SLOs that missed their target; null until it is made')),
  schedule_id: t.Nullable(t.Number({ description: 'null: it was asked for, or its schedule is deleted' })),
  schedule_name: t.Nullable(t.String()),
  created_by: t.Nullable(t.Number()),
  created_by_name: t.Nullable(t.String()),
  created_at: t.String(),
  made_at: t.Nullable(t.String({ description: 'since when it does not change; null: not yet made' })),
}

const success = t.Literal(true)
const ListedReportSchema = t.Object(fields, { title: 'ListedReport' })

const ReportDataSchema = t.Object({
  version: t.Literal('1'),
  name: t.String(),
  interval: OneOf(intervals),
  title: t.String(),
  time_zone: t.String(),
  starts_at: t.String(),
  ends_at: t.String(),
  made_at: t.String(),
  organization: t.String(),
  scope: t.Object({ kind: OneOf(['all', 'team', 'labels']), text: t.String() }),
  summary: t.Object({
    slo_count: Count('SLOs'),
    met: Count('SLOs that met their target'),
    missed: Count('SLOs that missed it'),
    unknown: Count('SLOs of which too little was measured'),
    incident_count: Count('incidents'),
    incident_seconds: t.Number({ description: 'the sum of their seconds within the period' }),
    alert_count: Count('alerts that began'),
    deploy_count: Count('deploys and changes'),
    change_count: Count('changes of definitions'),
    min_coverage: MaybeNumber('the smallest share that was measured of an SLO, 0 to 1'),
  }),
  slos: t.Array(
    t.Object({
      id: t.Number(),
      name: t.String(),
      owner: t.String(),
      labels: t.Record(t.String(), t.String()),
      target: t.Number(),
      sli: MaybeNumber('the SLI over the period, in percent'),
      met: t.Nullable(t.Boolean({ description: 'whether the SLI reached the target; null: not known' })),
      unit: OneOf(['events', 'seconds']),
      bad: t.Number({ description: 'how many failed, in `unit`' }),
      total: t.Number({ description: 'how many there were, in `unit`' }),
      allowed: t.Number({ description: 'how many may fail, in `unit`' }),
      budget_used_percent: MaybeNumber('percent of the error budget of the period'),
      coverage: t.Number({ description: 'the share of the period that was measured, 0 to 1' }),
      excluded: t.Nullable(
        t.Object({
          seconds: t.Number({ description: 'seconds of the period that do not count' }),
          share: t.Number({ description: 'the share of the period that does not count, 0 to 1' }),
          bad: t.Number({ description: 'how many failed in them, in `unit`' }),
          total: t.Number({ description: 'how many there were in them, in `unit`' }),
          sli_without: MaybeNumber('the SLI over the period without any correction, in percent'),
        }),
        { description: 'what corrections and service hours leave out; null: nothing' },
      ),
      resolution: OneOf(resolutions, 'to what the ends of the period are rounded'),
      is_frozen_period: t.Boolean({
        description: 'whether the figures are those of the same period of the SLO itself',
      }),
      own: t.Object({
        time_window: t.String(),
        time_zone: t.Nullable(t.String()),
        sli: MaybeNumber('the SLI over the window of the SLO up to the end of the period, in percent'),
        budget_left_percent: MaybeNumber('percent of the error budget of the whole window'),
      }),
      periods: t.Array(
        t.Object({
          time_window: t.String(),
          time_zone: t.String(),
          starts_at: t.String(),
          ends_at: t.String(),
          target: t.Number(),
          sli: MaybeNumber('the SLI over it, in percent'),
          met: t.Nullable(t.Boolean()),
          budget_used_percent: MaybeNumber('percent of the error budget'),
        }),
      ),
      incident_count: Count('incidents'),
      alerts: t.Object({ page: Count('pages'), ticket: Count('tickets'), other: Count('other alerts') }),
    }),
  ),
  incidents: t.Array(
    t.Object({
      id: t.Number(),
      slo_id: t.Number(),
      slo_name: t.String(),
      severity: OneOf(['warning', 'critical']),
      began_at: t.String(),
      ended_at: t.Nullable(t.String({ description: 'null: it still failed' })),
      duration_seconds: t.Number(),
      budget_percent: MaybeNumber('percent of the error budget of the period'),
      cause: t.Nullable(t.String()),
      deploy: t.Nullable(
        t.Object({
          title: t.String(),
          url: t.String(),
          seconds_before: t.Number({ description: 'seconds from it to the begin of the incident' }),
        }),
      ),
      account: t.Nullable(
        t.Object({
          text: t.String({ description: 'Markdown, at most 2,000 characters' }),
          is_cut: t.Boolean(),
          url: t.String(),
          by: t.String(),
          updated_at: t.String(),
        }),
      ),
    }),
  ),
  deploys: t.Array(
    t.Object({
      id: t.Number(),
      kind: OneOf(eventKinds),
      title: t.String(),
      url: t.String(),
      at: t.String(),
      costs: t.Nullable(
        t.Array(
          t.Object({
            slo_id: t.Number(),
            slo_name: t.String(),
            budget_percent: MaybeNumber('percent of the error budget used until the next deploy'),
            before_percent: MaybeNumber('percent of the error budget used in as long a time before'),
          }),
        ),
      ),
    }),
  ),
  changes: t.Array(
    t.Object({
      slo_id: t.Number(),
      slo_name: t.String(),
      event: t.String(),
      changed_at: t.String(),
      by: t.Nullable(t.String()),
      fields: t.Array(t.Object({ field: t.String(), before: t.Nullable(t.String()), after: t.Nullable(t.String()) })),
    }),
  ),
})

export const ReportAnswer = t.Object(
  {
    success,
    data: t.Object({ ...fields, report: t.Nullable(ReportDataSchema, { description: 'null until it is made' }) }),
  },
  { title: 'Report' },
)
export type ReportAnswer = Static<typeof ReportAnswer>

export const RequestedReport = t.Object({ success, message: t.String(), data: ListedReportSchema })
export const ReportList = t.Object(
  { success, reports: t.Array(ListedReportSchema), ...PageFields },
  { title: 'ReportList' },
)
export const DeletedReport = t.Object({ success, message: t.String() })

const Schedule = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    interval: OneOf(intervals),
    time_zone: t.String({ description: 'IANA name' }),
    selector: ReportSelector,
    channel_ids: t.Array(t.Number()),
    made_until: t.String({ description: 'the end of the last period that has its report' }),
    created_by: t.Nullable(t.Number()),
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'ReportSchedule' },
)

export const ScheduleList = t.Object(
  { success, schedules: t.Array(Schedule), ...PageFields },
  { title: 'ReportScheduleList' },
)
export const ChangedSchedule = t.Object({ success, message: t.String(), data: Schedule })

export function presentReport(row: ListedReport): Static<typeof ListedReportSchema> {
  return {
    id: row.id,
    name: row.name,
    title: periodTitle(row, row.starts_at),
    interval: row.interval,
    time_zone: row.time_zone,
    selector: parseSelector(row.selector),
    starts_at: isoTime(row.starts_at * 1000),
    ends_at: isoTime(row.ends_at * 1000),
    status: row.status,
    slo_count: row.slo_count,
    met_count: row.met_count,
    missed_count: row.missed_count,
    schedule_id: row.schedule_id,
    schedule_name: row.schedule_name,
    created_by: row.created_by,
    created_by_name: row.created_by_name,
    created_at: isoTime(row.created_at),
    made_at: isoTimeOrNull(row.made_at),
  }
}

export function presentSchedule(row: ReportScheduleRow): Static<typeof Schedule> {
  const { id, name, interval, time_zone, selector: stored, made_until, created_by, created_at, updated_at } = row
  return {
    id,
    name,
    interval,
    time_zone,
    selector: parseSelector(stored),
    channel_ids: channelIdsOf(row),
    made_until: isoTime(made_until * 1000),
    created_by,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  }
}
