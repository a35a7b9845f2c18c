/** What can go wrong, as the product names it; `http/errors` maps each kind to one HTTP status. */
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

/** One thing that is wrong with a request. */
export type Problem = { field: string; message: string }

/** An error lists at most so many problems. */
export const maxProblems = 20

/** `body`: fields of the answer beside the usual ones. */
type Extra = {
  details?: string | undefined
  problems?: Problem[]
  headers?: Record<string, string>
  body?: Record<string, string | number>
  cause?: unknown
}

/**
 * An error whose sentence the caller may read. `message` is short and stable; `details` names the field and what it
 * must be, or repeats what a third party said. With `problems` it is made of them.
 */
export class AppError extends Error {
  readonly kind: ErrorKind
  readonly details: string | undefined
  readonly problems: readonly Problem[]
  readonly headers: Record<string, string>
  readonly body: Record<string, string | number>

  constructor(
    kind: ErrorKind,
    message: string,
    { details, problems = [], headers = {}, body = {}, cause }: Extra = {},
  ) {
    super(message, { cause })
    this.name = 'AppError'
    this.kind = kind
    this.problems = problems
      .slice(0, maxProblems)
      .map(({ field, message: what }) => ({ field: shorten(field), message: what }))
    this.details = details ?? (this.problems.length > 0 ? inOneLine(this.problems, problems.length) : undefined)
    this.headers = headers
    this.body = body
  }
}

function inOneLine(listed: readonly Problem[], found: number): string {
  const sentences = listed.map(({ field, message }) => `${field}: ${message}`)
  return [...sentences, ...(found > listed.length ? ['and more'] : [])].join('; ')
}

const maxFieldLength = 200

/** Fields are named by those who send them. */
function shorten(field: string): string {
  return field.length > maxFieldLength ? `${field.slice(0, maxFieldLength)}…` : field
}

/** `notFound('SLO')` reads "SLO not found"; also the answer for what belongs to another organization. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} not found`)
}

/** A field of the request is wrong: `invalid('team_id', 'must be a team of your organization')`. */
export function invalid(field: string, message: string): AppError {
  return invalidAll([{ field, message }])
}

/** The same of several fields. */
export function invalidAll(problems: Problem[]): AppError {
  return new AppError('invalid', 'Invalid request', { problems })
}

/** Throws `invalid` where there are problems. */
export function assertNone(problems: Problem[]): void {
  if (problems.length > 0) throw invalidAll(problems)
}

type Results<T extends readonly (() => unknown)[]> = { -readonly [Place in keyof T]: ReturnType<T[Place]> }

/** What all of these give; where some throw `invalid`, one `invalid` with the problems of all. */
export function readAll<const T extends readonly (() => unknown)[]>(...reads: T): Results<T> {
  const problems: Problem[] = []
  const results = reads.map((read) => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AppError) || error.problems.length === 0) throw error
      problems.push(...error.problems)
      return undefined
    }
  })
  assertNone(problems)
  return results as Results<T>
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
