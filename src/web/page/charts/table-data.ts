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
