import { AppError } from '../../errors.ts'

/** What Prometheus calls `bad_data`; `details` says all of it. */
export function badData(details: string, cause?: unknown): AppError {
  return new AppError('invalid', 'Invalid request', { details, cause })
}

/** The same of one parameter, in the words of Prometheus. */
export function badParameter(name: string, why: string, cause?: unknown): AppError {
  return badData(`invalid parameter "${name}": ${why}`, cause)
}
