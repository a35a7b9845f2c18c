/** Value of a table or CSV; the table formats times and numbers. */
export type Cell = string | number | null
/** Values as they are written to a CSV. */
export type TableData = { columns: string[]; rows: Cell[][] }
/** Columns by their heading, each with what it reads off a row. */
export type Columns<Row> = readonly (readonly [head: string, cell: (row: Row, at: number) => Cell])[]

export function tableOf<Row>(rows: readonly Row[], columns: Columns<Row>): TableData {
  return {
    columns: columns.map(([head]) => head),
    rows: rows.map((row, at) => columns.map(([, cell]) => cell(row, at))),
  }
}

/** Begin of a formula as in `src/http/csv.ts`. */
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
