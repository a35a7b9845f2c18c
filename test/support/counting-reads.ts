import type { Db } from '../../src/db/open.ts'

/** A reading side that counts its statements. */
export function countingReads(read: Db): { db: Db; count: { statements: number } } {
  const count = { statements: 0 }
  const db = read.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ((count.statements += 1), result),
  })
  return { db, count }
}
