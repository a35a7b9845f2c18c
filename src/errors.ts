/** Kinds of errors of the product; `http/errors` maps each to one HTTP status. */
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
  | 'source_refused' // the metrics source understood the query and rejected it
  | 'source_unavailable' // the metrics source gave no usable answer
  | 'delivery_failed' // the receiver of a notification did not accept it
  | 'upgrade_required'
  | 'unavailable' // nines cannot do it now: it is starting or stopping, or lacks memory or room
  | 'internal'

/** Codes of problems. Clients rely on them: a code is never renamed. `http/openapi/problem-codes` has the meaning of each, and its `params`. */
export const problemCodes = [
  'invalid',
  'required',
  'wrong_type',
  'wrong_format',
  'not_whole',
  'not_allowed',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'too_few',
  'too_many',
  'duplicate',
  'unexpected',
  'exclusive',
  'unknown',
  'in_use',
  'unknown_parameter',
  'unknown_placeholder',
  'not_promql',
  'query_refused',
] as const
export type ProblemCode = (typeof problemCodes)[number]

/** Numbers and names that a message contains, by stable keys with the unit in them, as in `max_characters`. */
export type ProblemParams = Record<string, string | number | string[]>

/** Fields of the request to change, with their new values; null removes a value. */
export type ProblemFix = Record<string, string | number | null>

/**
 * An invalid field of a request, and what it must be. `got`: what was sent, in a few words. `fix`: one change of the request that
 * solves the problem.
 */
export type Problem = {
  field: string
  message: string
  code?: ProblemCode
  params?: ProblemParams
  got?: string | undefined
  fix?: ProblemFix | undefined
}

/** Problem as a client gets it. */
export type ReportedProblem = Required<Omit<Problem, 'got' | 'fix'>> & { got?: string; fix?: ProblemFix }

/** Completes a problem: by default its code is `invalid`, without params. */
export function reportProblem({ field, message, code = 'invalid', params = {}, got, fix }: Problem): ReportedProblem {
  return { field, message, code, params, ...(got !== undefined && { got }), ...(fix && { fix }) }
}

/** Maximum number of problems that an error lists. */
export const maxProblems = 20

/** `body`: extra fields of the response. */
type Extra = {
  details?: string | undefined
  problems?: Problem[]
  headers?: Record<string, string>
  body?: Record<string, string | number>
  cause?: unknown
}

/**
 * An error whose text the caller may read. `message` is short and stable. `details` names the field and what it must be, or
 * repeats the message of a third party; by default it is made from `problems`.
 */
export class AppError extends Error {
  readonly kind: ErrorKind
  readonly details: string | undefined
  readonly problems: readonly ReportedProblem[]
  /** Number of problems, also of those that are not listed. */
  readonly problemCount: number
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
    this.problemCount = problems.length
    this.problems = problems
      .slice(0, maxProblems)
      .map((problem) => reportProblem({ ...problem, field: shorten(problem.field) }))
    this.details = details ?? (this.problems.length > 0 ? inOneLine(this.problems, problems.length) : undefined)
    this.headers = headers
    this.body = body
  }
}

function inOneLine(listed: readonly Problem[], count: number): string {
  const sentences = listed.map(inOneSentence)
  return [...sentences, ...(count > listed.length ? ['and more'] : [])].join('; ')
}

/** Messages that contain the value themselves: `… (got 7)`, `… entries, not 31`, `…; not "a b"`, `…, found "x"`. */
const hasValue = /\bgot\b|\bfound ["“]|[,;] not ["“\d]/

/** Field, rule and value of a problem, as in `target: must be above 0, got -1`. */
export function inOneSentence({ field, message, got }: Problem): string {
  return `${field}: ${message}${got === undefined || hasValue.test(message) ? '' : `, got ${got}`}`
}

/** Copy of an error with the `got` of each problem that has none. `details` follow, unless they were not made from the problems. */
export function withGot(error: AppError, gotOf: (problem: Problem) => string | undefined): AppError {
  const { kind, message, details, headers, body, problemCount } = error
  const hasOwnDetails = details !== inOneLine(error.problems, problemCount)
  const problems = error.problems.map((problem) => ({ ...problem, got: problem.got ?? gotOf(problem) }))
  return new AppError(kind, message, {
    problems,
    details: hasOwnDetails ? details : inOneLine(problems, problemCount),
    headers,
    body,
    cause: error,
  })
}

const maxFieldLength = 200

/** Bounds the name of a field, which the client chooses. */
function shorten(field: string): string {
  return field.length > maxFieldLength ? `${field.slice(0, maxFieldLength)}…` : field
}

/** `notFound('SLO')` gives "SLO not found"; also used for resources of another organization. */
export function notFound(noun: string): AppError {
  return new AppError('not_found', `${noun} not found`)
}

/** A field of the request is wrong: `invalid('team_id', 'must be a team of your organization', { code: 'unknown' })`. */
export function invalid(field: string, message: string, more: Omit<Problem, 'field' | 'message'> = {}): AppError {
  return invalidAll([{ field, message, ...more }])
}

/** Like `invalid`, for several fields. */
export function invalidAll(problems: Problem[]): AppError {
  return new AppError('invalid', 'Invalid request', { problems })
}

/** Error for a name that another resource of the organization has; `what`: its kind. */
export function nameInUse(what: string, cause?: unknown): AppError {
  const problems: Problem[] = [{ field: 'name', message: 'must be a name that is not in use', code: 'in_use' }]
  return new AppError('conflict', `${what} name already in use`, { problems, cause })
}

/** The error with a prefix before the fields of its problems; an error without problems stays as it is. */
export function prefixProblems(prefix: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.problems.length === 0) return error
  const problems = error.problems.map((problem) => ({ ...problem, field: `${prefix}${problem.field}` }))
  return new AppError(error.kind, error.message, { problems, cause: error })
}

/** Throws `invalid` if there are problems. */
export function assertNone(problems: Problem[]): void {
  if (problems.length > 0) throw invalidAll(problems)
}

type Results<T extends readonly (() => unknown)[]> = { -readonly [Place in keyof T]: ReturnType<T[Place]> }

/** Calls all functions and returns their results. If some throw `invalid`, throws one `invalid` with the problems of all. */
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

/** Problems of the `invalid` that a promise is rejected with; none if it is fulfilled. */
export async function problemsOf(work: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await work
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.problems.length === 0) throw error
    return error.problems
  }
}

const damaged = / is damaged$/

/** Error for a database file of nines whose content cannot be read. */
export function databaseDamaged(file: string, cause: unknown): AppError {
  const details = 'restore the last backup with `nines restore FILE`'
  return new AppError('unavailable', `${file} is damaged`, { details, cause })
}

/** True for errors of `databaseDamaged`, also those from a worker. */
export function isDatabaseDamaged(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === 'unavailable' && damaged.test(error.message)
}
