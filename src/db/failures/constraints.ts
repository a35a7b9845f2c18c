import { AppError } from '../../errors.ts'

/** True if a statement failed because a row with the same unique value exists. */
export function isDuplicate(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** True if a statement failed because another connection holds a lock on the file. */
export function isBusy(error: unknown): boolean {
  return String(codeOf(error)).startsWith('SQLITE_BUSY')
}

/** Error for a request that met `isBusy`. */
export function databaseLocked(cause: unknown): AppError {
  return new AppError('unavailable', 'Database is locked by another process', { cause })
}

/** Code of an error of SQLite or of the system, such as `SQLITE_BUSY` or `ENOSPC`; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
