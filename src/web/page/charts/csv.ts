import type { Cell, TableData } from './table-data.ts'

/** Start of a text that a spreadsheet reads as a formula; the same as in `src/http/csv.ts`. */
const formula = /^(?:[\t\r]|[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠])/u

/** CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe in front. */
export function csvOf({ columns, rows }: TableData): string {
  const cell = (value: Cell) => {
    const text = value === null ? '' : String(value)
    const safe = typeof value === 'string' && formula.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}
