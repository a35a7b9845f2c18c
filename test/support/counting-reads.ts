import type { Db } from '../../src/db/open.ts'

/** Wraps the read connection and counts its statements and returned rows. */
export function countingReads(read: Db): { db: Db; count: { statements: number; rows: number } } {
  const count = { statements: 0, rows: 0 }
  const db = read.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      count.statements += 1
      count.rows += result.rows.length
      return result
    },
  })
  return { db, count }
}
