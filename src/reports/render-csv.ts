import { csvLine } from '../http/csv.ts'
import type { ReportData } from './report.ts'
import { changeText } from './texts.ts'

/** Tables of a report, each a CSV file. */
export const csvTables = ['slos', 'periods', 'incidents', 'deploys', 'changes'] as const
export type CsvTable = (typeof csvTables)[number]

type Cell = string | number | boolean | null

/** Renders a table of a report as CSV after RFC 4180 with a header line, in pieces. Empty: not known, or none. */
export function* renderCsv(data: ReportData, table: CsvTable): Generator<string> {
  const { header, rows } = tables[table](data)
  yield csvLine(header)
  for (const row of rows)
    yield csvLine(row.map((cell) => (typeof cell === 'number' ? cell : cell === null ? '' : String(cell))))
}

type Table = { header: string[]; rows: Iterable<Cell[]> }

const tables: Record<CsvTable, (data: ReportData) => Table> = {
  slos: ({ slos }) => ({
    header: [
      'id',
      'name',
      'owner',
      'target',
      'sli',
      'met',
      'unit',
      'bad',
      'total',
      'allowed',
      'budget_used_percent',
      'coverage',
      'excluded_share',
      'sli_without_corrections',
      'resolution',
      'own_window',
      'own_sli',
      'own_budget_left_percent',
      'incidents',
      'page_alerts',
      'ticket_alerts',
      'other_alerts',
    ],
    rows: slos
      .values()
      .map((slo): Cell[] => [
        slo.id,
        slo.name,
        slo.owner,
        slo.target,
        slo.sli,
        slo.met,
        slo.unit,
        slo.bad,
        slo.total,
        slo.allowed,
        slo.budget_used_percent,
        slo.coverage,
        slo.excluded?.share ?? null,
        slo.excluded?.sli_without ?? null,
        slo.resolution,
        slo.own.time_window,
        slo.own.sli,
        slo.own.budget_left_percent,
        slo.incident_count,
        slo.alerts.page,
        slo.alerts.ticket,
        slo.alerts.other,
      ]),
  }),
  periods: ({ slos }) => ({
    header: [
      'slo_id',
      'slo_name',
      'time_window',
      'time_zone',
      'starts_at',
      'ends_at',
      'target',
      'sli',
      'met',
      'budget_used_percent',
    ],
    rows: slos.flatMap(({ id, name, periods }) =>
      periods.map((one): Cell[] => [
        id,
        name,
        one.time_window,
        one.time_zone,
        one.starts_at,
        one.ends_at,
        one.target,
        one.sli,
        one.met,
        one.budget_used_percent,
      ]),
    ),
  }),
  incidents: ({ incidents }) => ({
    header: [
      'id',
      'slo_id',
      'slo_name',
      'severity',
      'began_at',
      'ended_at',
      'duration_seconds',
      'budget_percent',
      'cause',
      'deploy',
      'account', // what a person wrote about the incident
    ],
    rows: incidents
      .values()
      .map((one): Cell[] => [
        one.id,
        one.slo_id,
        one.slo_name,
        one.severity,
        one.began_at,
        one.ended_at,
        one.duration_seconds,
        one.budget_percent,
        one.cause,
        one.deploy?.title ?? null,
        one.account?.text ?? null,
      ]),
  }),
  deploys: ({ deploys }) => ({
    // `budget_percent`: used until the next deploy; `before_percent`: used in as long a time before this one
    header: ['id', 'kind', 'title', 'url', 'at', 'slo_id', 'slo_name', 'budget_percent', 'before_percent'],
    rows: deploys.flatMap(({ id, kind, title, url, at, costs }): Cell[][] => {
      const own = [id, kind, title, url, at]
      if (!costs || costs.length === 0) return [[...own, null, null, null, null]]
      return costs.map((cost) => [...own, cost.slo_id, cost.slo_name, cost.budget_percent, cost.before_percent])
    }),
  }),
  changes: ({ changes }) => ({
    header: ['slo_id', 'slo_name', 'event', 'changed_at', 'by', 'change'],
    rows: changes
      .values()
      .map((one): Cell[] => [one.slo_id, one.slo_name, one.event, one.changed_at, one.by, changeText(one)]),
  }),
}
