import { type Kysely, sql } from 'kysely'
import { isDatabaseDamaged } from '../errors.ts'
import type { Connection } from './sqlite.ts'
import type { Tables } from './tables/tables.ts'

type Db = Kysely<Tables>

/**
 * Makes a change as a transaction of its own would, in one with others that come at about the same time, because each
 * transaction waits for the disk. Resolves when it is committed; a change that throws is undone alone. It may be made
 * twice: nothing but SQL may come of it before it has resolved.
 */
export type GroupCommit = <T>(change: (trx: Db) => Promise<T>) => Promise<T>

/** `make` gives what is to happen after the commit. */
type Change = { make: (trx: Db) => Promise<End>; reject: (error: unknown) => void }

/** Nothing else is served while they are made. */
const maxAtOnce = 50

/** Rolls back the transaction of a change that has thrown after it had written. */
class FailedAfterWrite extends Error {}

type End = () => void

async function makeEach(changes: Change[], makeOne: (change: Change) => Promise<End> | End): Promise<End[]> {
  const ends: End[] = []
  for (const change of changes) ends.push(await makeOne(change))
  return ends
}

/** `inside`: statements of the connection below `write`, for while a transaction of it is open. */
type Deps = { write: Db; connection: Connection; inside: Db }

export function createGroupCommit({ write, connection, inside }: Deps): GroupCommit {
  const waiting: Change[] = []
  const rowsChanged = connection.prepare<[], number>('select total_changes()').pluck()

  function makeSome(): void {
    const changes = waiting.splice(0, maxAtOnce)
    if (waiting.length > 0) setImmediate(makeSome)
    void make(changes)
  }

  /**
   * A savepoint for each would copy every page that it writes to, which costs more than the changes: there are none until
   * one throws that has written. Then the transaction begins again, without that one.
   */
  async function make(changes: Change[]): Promise<void> {
    const thrown = new Map<Change, End>()
    try {
      const ends = await write.transaction().execute(async () => {
        try {
          return await makeEach(changes, (change) => makeBare(change, thrown))
        } catch (error) {
          if (!(error instanceof FailedAfterWrite)) throw error
        }
        await sql`rollback`.execute(inside)
        await sql`begin`.execute(inside)
        return makeEach(changes, (change) => thrown.get(change) ?? makeSaved(change))
      })
      for (const end of ends) end()
    } catch (error) {
      // SQLite ends a transaction that meets damage: those that do not meet it are made without the others.
      if (isDatabaseDamaged(error) && changes.length > 1) for (const one of changes) await make([one])
      else for (const { reject } of changes) reject(error)
    }
  }

  async function makeBare(change: Change, thrown: Map<Change, End>): Promise<End> {
    const before = rowsChanged.get()
    try {
      return await change.make(inside)
    } catch (error) {
      if (!connection.inTransaction) throw error // it has ended the whole transaction, as a full disk does
      const end = () => change.reject(error)
      thrown.set(change, end)
      if (rowsChanged.get() !== before) throw new FailedAfterWrite()
      return end
    }
  }

  async function makeSaved(change: Change): Promise<End> {
    await sql`savepoint change`.execute(inside)
    try {
      const end = await change.make(inside)
      await sql`release change`.execute(inside)
      return end
    } catch (error) {
      const undo = sql`rollback to change`.execute(inside)
      await undo.catch(() => {
        throw error // it has ended the whole transaction, as a full disk does
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
    if (waiting.length === 0) setImmediate(makeSome) // what comes in this turn of the event loop goes with it
    waiting.push({ make, reject })
    return promise
  }
}
