import { Database } from '../../src/db/sqlite.ts'

/** Executed statements, and how many of them began a transaction; of one connection and the thread of this process. */
export type SqlCount = { statements: number; transactions: number }

type Method = (this: Running, ...given: unknown[]) => unknown
type Running = { source?: string; database?: { name: string } }

const methods = ['run', 'get', 'all', 'iterate'] as const
const turns = 4
const turnMs = 2

export type SqlCounter = {
  /** Counts the SQL that `work` runs on the databases of a folder, including work it leaves for later. */
  of(dataDir: string, work: () => Promise<unknown>): Promise<SqlCount>
  close(): void
}

/**
 * Counts SQL on all databases opened from now on, whichever code runs it. Replaces the methods of SQLite's statements until
 * `close`.
 */
export function countSql(): SqlCounter {
  const now: SqlCount = { statements: 0, transactions: 0 }
  let folder = ''
  const db = new Database(':memory:')
  const [statement, connection] = [Object.getPrototypeOf(db.prepare('select 1')), Object.getPrototypeOf(db)]
  db.close()
  const note = (sql: string, path: string) => {
    if (folder === '' || !path.startsWith(folder)) return
    now.statements += 1
    if (/^\s*begin/i.test(sql)) now.transactions += 1
  }
  const restore: (() => void)[] = []
  const replace = (prototype: Record<string, Method>, name: string, make: (original: Method) => Method) => {
    const original = prototype[name]
    if (!original) throw new Error(`SQLite has no ${name}`)
    prototype[name] = make(original)
    restore.push(() => void (prototype[name] = original))
  }
  for (const name of methods) {
    replace(
      statement,
      name,
      (original) =>
        function counted(...given) {
          note(this.source ?? '', this.database?.name ?? '')
          return original.apply(this, given)
        },
    )
  }
  replace(
    connection,
    'exec',
    (original) =>
      function counted(this: Running & { name?: string }, ...given) {
        note(String(given[0]), this.name ?? '')
        return original.apply(this, given)
      },
  )
  return {
    async of(dataDir, work) {
      folder = dataDir
      await quiet()
      const before = { ...now }
      await work()
      await quiet()
      return { statements: now.statements - before.statements, transactions: now.transactions - before.transactions }
    },
    close: () => restore.forEach((one) => one()),
  }

  /** Waits until no SQL has run for some iterations of the event loop. */
  async function quiet(): Promise<void> {
    for (let [left, seen] = [turns, now.statements]; left > 0; left -= 1) {
      await Bun.sleep(turnMs)
      if (seen !== now.statements) [left, seen] = [turns, now.statements]
    }
  }
}
