import { CompiledQuery, createQueryId, type RootOperationNode } from 'kysely'
import type { Db } from '../../src/db/open.ts'

/** Steps of SQLite's plans for the statements that `work` runs on a connection, in order. */
export async function queryPlansOf(db: Db, work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const queries: RootOperationNode[] = []
  const spied = db.withPlugin({
    transformQuery: ({ node }) => (queries.push(node), node),
    transformResult: async ({ result }) => result,
  })
  await work(spied)
  const executor = db.getExecutor()
  const plans = await Promise.all(
    queries.map((node) => {
      const { sql, parameters } = executor.compileQuery(node, createQueryId())
      return db.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]))
    }),
  )
  return plans.flatMap(({ rows }) => rows.map(({ detail }) => detail))
}
