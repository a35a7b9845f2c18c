import { formatMoment } from '../format.ts'

/** A figure as a table shows it: times as moments of the viewer's zone, numbers to four decimals. */
export function formatCell(cell: string | number | null, nowMs: number): string {
  if (cell === null) return '–'
  if (typeof cell === 'number') return String(Number.isInteger(cell) ? cell : cell.toFixed(4)).replace('-', '−')
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(cell) ? formatMoment(Date.parse(cell), nowMs) : cell
}
