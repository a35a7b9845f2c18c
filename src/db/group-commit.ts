import { type Kysely, sql } from 'kysely'
import { isDatabaseDamaged } from '../errors.ts'
import type { Connection } from './sqlite.ts'
import type { Tables } from './tables/tables.ts'

type Db = Kysely<Tables>

/**
 * Makes a change as a separate transaction would, but commits it together with others that arrive at about the same time,
 * because each transaction waits for the disk. Resolves when it is committed; a change that throws is undone alone. A change
 * may run twice, so it must do nothing but SQL before it has resolved.
 */
export type GroupCommit = <T>(change: (trx: Db) => Promise<T>) => Promise<T>

/** `make` returns a function to call after the commit. */
type Change = { make: (trx: Db) => Promise<End>; reject: (error: unknown) => void }

/** Maximum number of changes in a transaction: nothing else is served while they are made. */
const maxChanges = 50

/** Thrown if a change has thrown after writing, so that the transaction starts again. */
class FailedAfterWrite extends Error {}

type End = () => void

async function makeEach(changes: Change[], makeOne: (change: Change) => Promise<End> | End): Promise<End[]> {
  const ends: End[] = []
  for (const change of changes) ends.push(await makeOne(change))
  return ends
}

/** `inside`: runs statements on the connection of `write` while a transaction is open on it. */
type Deps = { write: Db; connection: Connection; inside: Db }

export function createGroupCommit({ write, connection, inside }: Deps): GroupCommit {
  const waiting: Change[] = []
  const rowsChanged = connection.prepare<[], number>('select total_changes()').pluck()

  function makeSome(): void {
    const changes = waiting.splice(0, maxChanges)
    if (waiting.length > 0) setImmediate(makeSome)
    void commit(changes)
  }

  /**
   * Makes changes without savepoints: one for each change would copy every page that the change writes to, which costs more
   * than the change. If a change throws after writing, the transaction starts again, with savepoints and without that change.
   */
  async function commit(changes: Change[]): Promise<void> {
    const thrown = new Map<Change, End>()
    try {
      const ends = await write.transaction().execute(async () => {
        try {
          return await makeEach(changes, (change) => runWithoutSavepoint(change, thrown))
        } catch (error) {
          if (!(error instanceof FailedAfterWrite)) throw error
        }
        await sql`rollback`.execute(inside)
        await sql`begin immediate`.execute(inside)
        return makeEach(changes, (change) => thrown.get(change) ?? runWithSavepoint(change))
      })
      for (const end of ends) end()
    } catch (error) {
      // SQLite ends a transaction that meets damage: make each change alone, so that those without damage succeed.
      if (isDatabaseDamaged(error) && changes.length > 1) for (const one of changes) await commit([one])
      else for (const { reject } of changes) reject(error)
    }
  }

  async function runWithoutSavepoint(change: Change, thrown: Map<Change, End>): Promise<End> {
    const changedBefore = rowsChanged.get()
    try {
      return await change.make(inside)
    } catch (error) {
      if (!connection.inTransaction) throw error // the error has ended the whole transaction, as a full disk does
      const end = () => change.reject(error)
      thrown.set(change, end)
      if (rowsChanged.get() !== changedBefore) throw new FailedAfterWrite()
      return end
    }
  }

  async function runWithSavepoint(change: Change): Promise<End> {
    await sql`savepoint change`.execute(inside)
    try {
      const end = await change.make(inside)
      await sql`release change`.execute(inside)
      return end
    } catch (error) {
      const undo = sql`rollback to change`.execute(inside)
      await undo.catch(() => {
        throw error // the error has ended the whole transaction, as a full disk does
      })
      await sql`release change`.execute(inside)
      return () => change.reject(error)
    }
  }

  return <T>(change: (trx: Db) => Promise<T>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const make = async (trx: Db): Promise<End> => {
      const result = await change(trx)
      return () => resolve(result)
    }
    if (waiting.length === 0) setImmediate(makeSome) // includes all changes of this turn of the event loop
    waiting.push({ make, reject })
    return promise
  }
}
