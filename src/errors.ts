/** What can go wrong, in the product's words; `http/errors` maps each kind to one HTTP status. */
export type ErrorKind =
  | 'invalid' // the caller's input is wrong
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'too_slow'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'source_refused' // the metrics source understood the query and said no
  | 'source_unavailable' // the metrics source gave no usable answer
  | 'delivery_failed' // the receiver of a notification did not take it
  | 'upgrade_required'
  | 'unavailable' // nines itself is starting or stopping
  | 'internal'

/** `body`: fields of the answer beside the usual ones. */
type Extra = {
  details?: string | undefined
  headers?: Record<string, string>
  body?: Record<string, string | number>
  cause?: unknown
}

/**
 * An error whose sentence the caller may read. `message` is short and stable; `details` names the field and what it
 * wanted, or repeats what a third party said.
 */
export class AppError extends Error {
  readonly kind: ErrorKind
  readonly details: string | undefined
  readonly headers: Record<string, string>
  readonly body: Record<string, string | number>

  constructor(kind: ErrorKind, message: string, { details, headers = {}, body = {}, cause }: Extra = {}) {
    super(message, { cause })
    this.name = 'AppError'
    this.kind = kind
    this.details = details
    this.headers = headers
    this.body = body
  }
}

/** `notFound('SLO')` reads "SLO not found"; also the answer for what belongs to another organization. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} not found`)
}

/** A field of the request is wrong: `invalid('team_id', 'wanted a team of your organization')`. */
export function invalid(field: string, wanted: string): AppError {
  return new AppError('invalid', 'Invalid request', { details: `${field}: ${wanted}` })
}

const damaged = / is damaged$/

/** `file`, a database of ours, cannot be read for what is in it. */
export function databaseDamaged(file: string, cause: unknown): AppError {
  const details = 'the last backup is to be restored with `nines restore FILE`'
  return new AppError('unavailable', `${file} is damaged`, { details, cause })
}

/** Whether it is what `databaseDamaged` gives, here or in a worker. */
export function isDatabaseDamaged(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === 'unavailable' && damaged.test(error.message)
}
