import { AppError } from '../errors.ts'
import type { RefusalFactory } from './regex.ts'

/** Error for text that is not valid PromQL or has mismatched types. */
export function invalidPromql(details: string): AppError {
  return new AppError('invalid', 'Invalid PromQL', { details })
}

/** Creates the error for an invalid regular expression. */
export function unreadablePattern(pattern: string): RefusalFactory {
  return (why) => invalidPromql(`regular expression “${pattern}”: ${why}`)
}

/** Error for a feature of Prometheus that the embedded source does not support. */
export function unsupported(feature: string): AppError {
  return new AppError('invalid', 'Unsupported PromQL', { details: `the embedded source does not do ${feature}` })
}

/** Error for a query that the data does not allow; `details` is the message of Prometheus. */
export function queryFailed(details: string): AppError {
  return new AppError('source_refused', 'Query failed', { details })
}
