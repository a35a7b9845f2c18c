import { AppError, databaseDamaged, isDatabaseDamaged } from '../../errors.ts'
import { codeOf } from './constraints.ts'

export type DatabaseFile = 'nines.db' | 'samples.db'

/** Damage that was found in a file; `problem` contains no name of any organization. */
export type Damage = { file: DatabaseFile; problem: string }
export type OnDamage = (damage: Damage) => void

/** Codes for a file whose content SQLite cannot have written, or that the disk cannot read. */
const damageCodes = /^SQLITE_(?:CORRUPT|NOTADB|IOERR_(?:READ|SHORT_READ|CORRUPTFS|DATA|IN_PAGE))/

/** True if a statement failed because of the content of the file. */
export function isDamage(error: unknown): boolean {
  return damageCodes.test(String(codeOf(error)))
}

/** Translates SQLite's errors for damage to `databaseDamaged`, and calls `onDamage`. */
export function damageTranslator(file: DatabaseFile, onDamage: OnDamage): (error: unknown) => unknown {
  return (error) => {
    if (isDatabaseDamaged(error) || !isDamage(error)) return error
    onDamage({ file, problem: messageOf(error) })
    return databaseDamaged(file, error)
  }
}

const advice = 'restore the last backup with `nines restore FILE` into an empty folder'

/** Error for a database that could not be opened, with its path, the cause and what helps. */
export function describeOpening(path: string, cause: unknown): Error {
  const details = cause instanceof AppError ? cause.details : undefined
  const help = isDamage(cause) ? `it is damaged; ${advice}` : details
  return new Error([path, messageOf(cause), ...(help === undefined ? [] : [help])].join(': '), { cause })
}

/** Like `describeOpening`, for a database that can be opened but not read. */
export function unreadable(path: string, error: unknown): Error {
  const cause = isDatabaseDamaged(error) ? error.cause : error
  return new Error(`${path}: damaged, it cannot be read: ${messageOf(cause)}; ${advice}`, { cause })
}

/**
 * Does work for many keys at once. If it meets damage, repeats it for each half of the keys; `lost` gives the result for a
 * single key that meets damage. The work may run again after a failure.
 */
export async function aroundDamage<K, T>(
  keys: K[],
  work: (keys: K[]) => Promise<T[]>,
  lost: (key: K, error: unknown) => T[],
): Promise<T[]> {
  try {
    return await work(keys)
  } catch (error) {
    const [first] = keys
    if (!isDatabaseDamaged(error) || first === undefined) throw error
    if (keys.length === 1) return lost(first, error)
    const half = Math.ceil(keys.length / 2)
    const firstResults = await aroundDamage(keys.slice(0, half), work, lost)
    return [...firstResults, ...(await aroundDamage(keys.slice(half), work, lost))]
  }
}

/** Reads all rows at once. If that meets damage, reads those that can be read, by the ids in an index. */
export async function aroundDamagedRows<T>(
  readAll: () => Promise<T[]>,
  listIds: () => Promise<number[]>,
  readSome: (ids: number[]) => Promise<T[]>,
): Promise<T[]> {
  try {
    return await readAll()
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return aroundDamage(await listIds(), readSome, () => [])
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
