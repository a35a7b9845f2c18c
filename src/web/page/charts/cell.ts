import { formatPoint } from '../format.ts'

/** Formats a cell of a table: times as moments in the viewer's zone, integers whole, other numbers with four decimals. */
export function formatCell(cell: string | number | null, nowMs: number): string {
  if (cell === null) return '–'
  if (typeof cell === 'number') return String(Number.isInteger(cell) ? cell : cell.toFixed(4)).replace('-', '−')
  return isMoment(cell) ? formatPoint(Date.parse(cell), nowMs) : cell
}

/** True if a cell is a time as the API writes it. */
export function isMoment(cell: string | number | null): cell is string {
  return typeof cell === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(cell)
}
