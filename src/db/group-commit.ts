import { type Kysely, sql } from 'kysely'
import { isDatabaseDamaged } from '../errors.ts'
import type { Tables } from './tables/tables.ts'

type Db = Kysely<Tables>

/**
 * Makes a change as a transaction of its own would, in one with others that come at about the same time, because each
 * transaction waits for the disk. Resolves when it is committed; a change that throws is undone alone.
 */
export type GroupCommit = <T>(change: (trx: Db) => Promise<T>) => Promise<T>

/** `make` gives what is to happen after the commit. */
type Change = { make: (trx: Db) => Promise<() => void>; reject: (error: unknown) => void }

/** Nothing else is served while they are made. */
const maxAtOnce = 50

export function createGroupCommit(write: Db): GroupCommit {
  const waiting: Change[] = []

  function makeSome(): void {
    const changes = waiting.splice(0, maxAtOnce)
    if (waiting.length > 0) setImmediate(makeSome)
    void make(changes)
  }

  async function make(changes: Change[]): Promise<void> {
    try {
      const ends = await write.transaction().execute(async (trx) => {
        const ends: (() => void)[] = []
        for (const { make } of changes) ends.push(await make(trx))
        return ends
      })
      for (const end of ends) end()
    } catch (error) {
      // SQLite ends a transaction that meets damage: those that do not meet it are made without the others.
      if (isDatabaseDamaged(error) && changes.length > 1) for (const one of changes) await make([one])
      else for (const { reject } of changes) reject(error)
    }
  }

  return <T>(change: (trx: Db) => Promise<T>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const make = async (trx: Db): Promise<() => void> => {
      await sql`savepoint change`.execute(trx)
      try {
        const result = await change(trx)
        await sql`release change`.execute(trx)
        return () => resolve(result)
      } catch (error) {
        const undo = sql`rollback to change`.execute(trx)
        await undo.catch(() => {
          throw error // it has ended the whole transaction, as a full disk does
        })
        await sql`release change`.execute(trx)
        return () => reject(error)
      }
    }
    if (waiting.length === 0) setImmediate(makeSome) // what comes in this turn of the event loop goes with it
    waiting.push({ make, reject })
    return promise
  }
}
