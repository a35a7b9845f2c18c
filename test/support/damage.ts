import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { Database } from '../../src/db/sqlite.ts'

/** Bytes that are the same in every run and are no valid SQLite page. */
export function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let word = 0x9e3779b9
  for (let at = 0; at < length; at += 1) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = word >>> 24
  }
  return bytes
}

export const zeros = (length: number): Uint8Array => new Uint8Array(length)

/** Overwrites a page, counted from 1, of a database whose write-ahead log is empty. */
export function overwritePage(path: string, page: number, fill: (length: number) => Uint8Array = noise): void {
  if (page < 1) throw new Error('pages are counted from 1')
  const size = pageSizeOf(path)
  const file = openSync(path, 'r+')
  writeSync(file, fill(size), 0, size, (page - 1) * size)
  closeSync(file)
}

export function pageSizeOf(path: string): number {
  const size = readFileSync(path).readUInt16BE(16)
  return size === 1 ? 65_536 : size
}

export function pagesIn(path: string): number {
  return readFileSync(path).length / pageSizeOf(path)
}

/** Root page of a table or an index. */
export function rootPage(path: string, name: string): number {
  if (name === 'sqlite_schema') return 1
  const db = new Database(path, { readonly: true })
  try {
    return Number(db.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(name))
  } finally {
    db.close()
  }
}

/** Child pages of an interior page, in order; empty for a leaf. */
export function childPages(path: string, page: number): number[] {
  const size = pageSizeOf(path)
  const bytes = readFileSync(path).subarray((page - 1) * size, page * size)
  const header = page === 1 ? 100 : 0
  const type = bytes[header]
  if (type !== 2 && type !== 5) return []
  const count = bytes.readUInt16BE(header + 3)
  const cells = Array.from({ length: count }, (_, at) => bytes.readUInt16BE(header + 12 + 2 * at))
  return [...cells.map((cell) => bytes.readUInt32BE(cell)), bytes.readUInt32BE(header + 8)]
}
