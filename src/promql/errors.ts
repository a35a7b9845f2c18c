import { AppError } from '../errors.ts'
import type { Refusal } from './regex.ts'

/** The text is no PromQL, or its types do not fit. */
export function unreadable(details: string): AppError {
  return new AppError('invalid', 'Invalid PromQL', { details })
}

/** Why a pattern is no regular expression. */
export function unreadablePattern(pattern: string): Refusal {
  return (why) => unreadable(`regular expression “${pattern}”: ${why}`)
}

/** What Prometheus can do and the embedded source does not; `what` names it. */
export function leftOut(what: string): AppError {
  return new AppError('invalid', 'Unsupported PromQL', { details: `the embedded source does not do ${what}` })
}

/** The data does not allow the query; the text is that of Prometheus. */
export function failed(details: string): AppError {
  return new AppError('source_refused', 'Query failed', { details })
}
