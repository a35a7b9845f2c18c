import type { Window } from '../../src/slos/arithmetic/windows.ts'
import { type Row, type WindowResult, tableOf } from './truth-table.ts'

const longWindows = new Set<Window>(['24h', '7d', '30d', '90d'])

/**
 * Services with failures that no source can derive from the samples: the first failures of a series that starts with them
 * (fresh), and events between the last scrape and a restart (gateway). VictoriaMetrics counts a burst that ended just before a
 * window.
 */
const lost = new Set(['fresh', 'gateway', 'payments 30m'])

/** Rows in which nines is not close enough to the truth, unless the best query cannot be either. */
export function mistakes(rows: Row[]): string[] {
  return rows.flatMap((row) => {
    const beyondReach = new Set(mayFallShort(row) ? shortfalls(row, row.direct) : [])
    const wrong = shortfalls(row, row.nines).filter((what) => !beyondReach.has(what))
    return wrong.length > 0 ? [`${wrong.join(', ')} of ${lineOf(row)}`] : []
  })
}

/** Rows in which nines differs from the best query by more than rounding; budgets have ten decimals. */
export function disagreements(rows: Row[]): string[] {
  const agree = ({ nines, direct }: Row) =>
    distance(nines.sli, direct.sli) <= 1e-9 * (direct.sli ?? 0) &&
    distance(nines.budget, direct.budget) <= 1e-9 * Math.max(1, direct.budget ?? 0) &&
    distance(nines.events, direct.events) <= 0.5 + 1e-9 * (direct.events ?? 0) &&
    nines.status === direct.status
  return rows.filter((row) => !agree(row)).map(lineOf)
}

type Shortfall = 'SLI' | 'budget' | 'events' | 'status'

/** Quantities that deviate too far from the truth: the SLI by over 0.02 points, the budget by over 1 % of itself, and so on. */
function shortfalls({ asked, truth }: Row, said: WindowResult): Shortfall[] {
  const isLong = longWindows.has(asked)
  const short: Shortfall[] = []
  if (isLong && distance(said.sli, truth.sli) > 0.02) short.push('SLI')
  if (distance(said.budget, truth.budget) > 0.01 * (truth.budget ?? 0) + 1e-9) short.push('budget')
  if (isLong && distance(said.events ?? 0, truth.events) > 0.001 * (truth.events ?? 0)) short.push('events')
  if (said.status !== truth.status) short.push('status')
  return short
}

function mayFallShort({ service, asked }: Row): boolean {
  return lost.has(service) || lost.has(`${service} ${asked}`)
}

/** Absolute difference; infinite if exactly one is null. */
function distance(a: number | null, b: number | null): number {
  if (a === null || b === null) return a === b ? 0 : Infinity
  return Math.abs(a - b)
}

function lineOf(row: Row): string {
  return tableOf([row]).split('\n')[1] ?? ''
}
