import { AppError } from '../../errors.ts'

/** Error that Prometheus calls `bad_data`; `details` is its whole message. */
export function badData(details: string, cause?: unknown): AppError {
  return new AppError('invalid', 'Invalid request', { details, cause })
}

/** `badData` for one parameter, worded like Prometheus. */
export function badParameter(name: string, why: string, cause?: unknown): AppError {
  return badData(`invalid parameter "${name}": ${why}`, cause)
}
