import type { JobMessages } from '../../concurrency/job-messages.ts'
import { isDamage } from './damage.ts'
import { type Connection, Database } from '../sqlite.ts'

export const checkDatabaseJob = 'check-database'

export type CheckRequest = { path: string }

/** Progress of a check (`done` of `tables`), then its result: the first finding, or null if there is none. */
export type CheckProgress = { table: string; done: number; tables: number } | { finding: string | null }

/** Runs in a worker: reads a whole database, table by table, and looks for content that SQLite cannot have written. */
export async function checkDatabase({ post, next }: JobMessages<CheckProgress, CheckRequest>): Promise<void> {
  const { path } = await next()
  post({ finding: findDamage(path, post) })
}

/** Reads a whole database; returns the first finding, null if there is none. Calls `post` before each table. */
export function findDamage(path: string, post: (done: CheckProgress) => void): string | null {
  try {
    const connection = new Database(path, { readonly: true, fileMustExist: true })
    try {
      return check(connection, post)
    } finally {
      connection.close()
    }
  } catch (error) {
    if (error instanceof Error && isDamage(error)) return error.message
    throw error
  }
}

function check(connection: Connection, post: (done: CheckProgress) => void): string | null {
  const names = connection
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and rootpage > 0 order by name")
    .pluck()
    .all()
  const tables = ['sqlite_schema', ...names]
  for (const [done, table] of tables.entries()) {
    post({ table, done, tables: tables.length })
    const problem = quickCheck(connection, `'${table.replaceAll("'", "''")}'`)
    if (problem !== null) return `table ${table}: ${problem}`
  }
  return quickCheck(connection, '1') // pages that belong to no table
}

/** First line of SQLite's report; the later ones follow from it. */
function quickCheck(connection: Connection, target: string): string | null {
  const report = String(connection.pragma(`quick_check(${target})`, { simple: true }))
  if (report === 'ok') return null
  return report.split('\n').find((line) => !line.startsWith('***')) ?? report
}
