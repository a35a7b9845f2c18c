import { type Kysely, sql } from 'kysely'
import { isDatabaseDamaged } from '../errors.ts'
import type { Tables } from './tables/tables.ts'

type Db = Kysely<Tables>

/**
 * Makes a change as a transaction of its own would, in one with others that are wanted at about the same time: each
 * transaction waits for the disk. Resolves when it is there; what throws takes back what it did itself, and no more.
 */
export type GroupCommit = <T>(change: (trx: Db) => Promise<T>) => Promise<T>

/** `make` gives what is to happen after the commit. */
type Wanted = { make: (trx: Db) => Promise<() => void>; reject: (error: unknown) => void }

/** Nothing else happens while they are made. */
const maxAtOnce = 50

export function createGroupCommit(write: Db): GroupCommit {
  let waiting: Wanted[] = []

  async function makeAll(): Promise<void> {
    const wanted = waiting.slice(0, maxAtOnce)
    waiting = waiting.slice(maxAtOnce)
    if (waiting.length > 0) begin()
    await make(wanted)
  }

  async function make(wanted: Wanted[]): Promise<void> {
    try {
      const ends = await write.transaction().execute(async (trx) => {
        const ends: (() => void)[] = []
        for (const { make } of wanted) ends.push(await make(trx))
        return ends
      })
      for (const end of ends) end()
    } catch (error) {
      // SQLite ends a transaction that meets damage: those that do not meet it are made without the others.
      if (isDatabaseDamaged(error) && wanted.length > 1) for (const one of wanted) await make([one])
      else for (const { reject } of wanted) reject(error)
    }
  }

  /** Whoever else comes in this turn of the event loop is taken along. */
  function begin() {
    setImmediate(() => void makeAll())
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
    if (waiting.length === 0) begin()
    waiting.push({ make, reject })
    return promise
  }
}
