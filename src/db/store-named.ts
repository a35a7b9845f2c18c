import { AppError } from '../errors.ts'
import { isDuplicate } from './failures/constraints.ts'
import type { Database, Db } from './open.ts'

/** Runs a transaction that stores a named `what`. Throws `conflict` if the organization has another one of that name. */
export async function storeNamed<T>(db: Database, what: string, work: (trx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.write.transaction().execute(work)
  } catch (cause) {
    if (!isDuplicate(cause)) throw cause
    throw new AppError('conflict', `${what} name already in use`, { details: 'name: must be another name', cause })
  }
}
