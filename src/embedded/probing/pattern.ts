import { AppError, invalid } from '../../errors.ts'
import { type Refusal, searching as searchingWith } from '../../promql/regex.ts'

/** Whether a pattern that was found to be one matches anywhere in a text. Throws `too_slow` as `regex.ts` says. */
export function searching(pattern: string): (text: string) => boolean {
  return searchingWith(pattern, (why) => new AppError('invalid', 'Invalid pattern', { details: why }))
}

/** Throws `invalid` for a text that is no pattern for `searching`. */
export function assertPattern(field: string, text: string) {
  const refusal: Refusal = (why) => invalid(field, `must be a regular expression (${why})`)
  searchingWith(text, refusal)
}
