import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SqlCount } from './count-sql.ts'

/** Costs of an operation; kinds that were not counted are missing. */
export type Counts = Partial<SqlCount> & {
  /** Requests to metrics sources. */
  questions?: number
  /** Size of the response body before compression. */
  bytes?: number
}
export type Table = Record<string, Counts>

/** True in `npm run guard`, which stores the counts as the new bounds. */
export const isWriting = process.env['NINES_GUARD'] === 'write'

const path = join(import.meta.dir, 'counts.json')
/** Tolerance, since a time in milliseconds has up to three digits. */
const spareOfBytes = 0.02
const kinds = ['statements', 'transactions', 'questions', 'bytes'] as const

export const readTable = (): Table => JSON.parse(readFileSync(path, 'utf8')) as Table

export function writeTable(table: Table): void {
  const lines = Object.entries(table).map(([name, counts]) => `  ${JSON.stringify(name)}: ${inOneLine(counts)}`)
  writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`)
}

/** Bounds that an operation exceeds, one sentence each. */
export function compare(name: string, bounds: Counts, counted: Counts): string[] {
  return kinds
    .map((what) => ({ what, was: bounds[what] ?? 0, is: counted[what] ?? 0 }))
    .filter(({ what, was, is }) => is > was * (1 + (what === 'bytes' ? spareOfBytes : 0)))
    .map(({ what, was, is }) => {
      const change = `${what} were ${was} at most and are ${is}`
      return `${name}: ${change}; if that is meant: npm run guard, and commit counts.json`
    })
}

function inOneLine(counts: Counts): string {
  const pairs = Object.entries(counts).map(([what, count]) => `${JSON.stringify(what)}: ${count}`)
  return `{ ${pairs.join(', ')} }`
}
