import { windowSeconds } from '../../src/slos/arithmetic/windows.ts'
import type { TestApp } from './app.ts'
import { asIncrease, askDirectly, availabilityQuery, requestsQuery } from './direct-query.ts'
import type { KnownSloWindow, KnownWindow, TestBed, WindowTruth } from './kit.ts'

/** The target of every SLO of the table, in percent. */
export const targetPercent = 99.9

/** Results for a window: SLI and budget used in percent, `events` the number of requests; null: no data. */
export type WindowResult = { sli: number | null; budget: number | null; status: string; events: number | null }

/**
 * Results for a service over the queried window `asked`, of an SLO whose own window is `own`: the truth, a single direct query,
 * and nines. `generated`: the generator's counts for that window.
 */
export type Row = {
  service: string
  own: KnownSloWindow
  asked: KnownWindow
  generated: WindowTruth
  truth: WindowResult
  direct: WindowResult
  nines: WindowResult & { reason: string | null; coverage: number }
}

/** Compared systems; `url`: the source, for direct queries. */
type Systems = { bed: TestBed; url: string; nines: TestApp }
/** Windows to query about a service, for an SLO whose own window is `own`. */
export type RowQueries = { service: string; own: KnownSloWindow; asked: readonly KnownWindow[]; endSeconds: number }

/** Queries nines about one service, and its source directly; a row for each window of `asked`. */
export async function measureRows({ bed, url, nines }: Systems, queries: RowQueries): Promise<Row[]> {
  const { service, own, asked, endSeconds } = queries
  const truth = bed.truth.services[service]?.evals[endSeconds]
  if (!truth) throw new Error(`the truth knows no ${service} at ${endSeconds}`)
  const id = await createSlo(nines, { time_window: own, metric_query: availabilityQuery(service, '5m') })
  const direct = async (query: typeof requestsQuery, window: KnownWindow) =>
    askDirectly(url, asIncrease(query(service, `${windowSeconds(window)}s`)), endSeconds)
  const ownDirect = await direct(availabilityQuery, own)
  const rows: Row[] = []
  for (const window of asked) {
    rows.push({
      service,
      own,
      asked: window,
      generated: truth[window],
      truth: { ...outcomeOf(truth[window].sli, truth[own].sli), events: truth[window].total },
      direct: {
        ...outcomeOf(await direct(availabilityQuery, window), ownDirect),
        events: await direct(requestsQuery, window),
      },
      nines: readCalculation(await calculate(nines, id, window, endSeconds)),
    })
  }
  return rows
}

/** Creates an SLO with the target of the table and returns its id. */
export async function createSlo(nines: TestApp, slo: object): Promise<number> {
  const usual = { name: 'SLO', target: targetPercent, time_window: '24h', metric_type: 'availability' }
  const { status, text, body } = await nines.call('POST', '/api/v1/slos', { ...usual, ...slo })
  if (status !== 201) throw new Error(`SLO refused: ${text}`)
  return body.id
}

/** The response of a calculation with details; without `endSeconds` it ends now. */
export async function calculate(nines: TestApp, sloId: number, window: KnownWindow, endSeconds?: number) {
  const { status, text, body } = await nines.call('POST', '/api/v1/tsdb/calculate-slo', {
    slo_id: sloId,
    time_window: window,
    include_details: true,
    ...(endSeconds === undefined ? {} : { extend_time: new Date(endSeconds * 1000).toISOString() }),
  })
  if (status !== 200) throw new Error(`calculation failed: ${text}`)
  return body
}

function readCalculation(body: Awaited<ReturnType<typeof calculate>>): Row['nines'] {
  return {
    sli: body.current_value,
    budget: body.error_budget.percentage_used,
    status: body.status,
    events: body.query_metrics?.total_events ?? null,
    reason: body.status_reason,
    coverage: body.coverage,
  }
}

/** "Budget" and "Status" of docs/slo-math.md, implemented again on purpose: the tested code must not check itself. */
function outcomeOf(ratio: number | null, ownRatio: number | null): Omit<WindowResult, 'events'> {
  const sli = ratio === null ? null : ratio * 100
  const budget = ownRatio === null ? null : ((100 - ownRatio * 100) / (100 - targetPercent)) * 100
  if (sli === null) return { sli, budget, status: 'unknown' }
  if (sli >= targetPercent - 1e-9) return { sli, budget, status: 'healthy' }
  return { sli, budget, status: budget !== null && 100 - budget > 50 ? 'warning' : 'critical' }
}

const columnNames =
  'service own asked truth direct nines budget.truth budget.nines status.truth status.nines reason coverage'

/** Formats the rows as aligned columns. */
export function tableOf(rows: Row[]): string {
  const lines = [columnNames.split(' '), ...rows.map(cellsOf)]
  const widths = columnNames
    .split(' ')
    .map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const aligned = lines.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return aligned.map((line) => `${line.trimEnd()}\n`).join('')
}

function cellsOf({ service, own, asked, truth, direct, nines }: Row): string[] {
  const slis = [truth, direct, nines].map(({ sli }) => formatOrDash(sli, 4))
  const budgets = [truth, nines].map(({ budget }) => formatOrDash(budget, 1))
  const [reason, coverage] = [nines.reason ?? '-', formatOrDash(nines.coverage, 3)]
  return [service, own, asked, ...slis, ...budgets, truth.status, nines.status, reason, coverage]
}

function formatOrDash(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits)
}
