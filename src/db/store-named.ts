import { AppError } from '../errors.ts'
import { isDuplicate } from './failures/constraints.ts'
import type { Database, Db } from './open.ts'

/** A transaction that stores a `what` with a name; throws `conflict` where another of the organization has that name. */
export async function storeNamed<T>(db: Database, what: string, work: (trx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.write.transaction().execute(work)
  } catch (cause) {
    if (!isDuplicate(cause)) throw cause
    throw new AppError('conflict', `${what} name already in use`, { details: 'name: must be another name', cause })
  }
}
