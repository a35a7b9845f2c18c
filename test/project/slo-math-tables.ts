import { expect } from 'bun:test'
import { join } from 'node:path'

export const page = await Bun.file(join(import.meta.dir, '..', '..', 'docs', 'slo-math.md')).text()

export const unknown = null

/** Rows of the table with these column headers. */
export function tableOf(...columns: string[]): string[][] {
  const lines = page.split('\n')
  const header = `| ${columns.join(' | ')} |`
  expect(lines.filter((line) => line === header)).toHaveLength(1)
  const from = lines.indexOf(header) + 2
  const rows = lines.slice(
    from,
    lines.findIndex((line, at) => at >= from && !line.startsWith('|')),
  )
  return rows.map((row) =>
    row
      .split(' | ')
      .map((cell) => cell.replace(/^\| | \|$/g, '').trim())
      .map((cell) => (/^`.*`$/.test(cell) ? cell.slice(1, -1) : cell)),
  )
}

export const numbers = (cells: string[]) => cells.map((cell) => (cell === 'unknown' ? unknown : Number(cell)))
export const written = (value: number | null) => (value === null ? 'unknown' : String(value))
export const known = (value: number | null | undefined) => {
  if (typeof value !== 'number') throw new Error('the table needs a number here')
  return value
}

export function expectRows(rows: string[][], computed: string[][]): void {
  expect(rows.length).toBeGreaterThan(1)
  expect(rows).toEqual(computed)
}
