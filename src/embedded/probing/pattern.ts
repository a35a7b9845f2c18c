import { AppError, invalid } from '../../errors.ts'
import { type RefusalFactory, compileSearch as searchingWith } from '../../promql/regex.ts'

/** Test for a match of a valid pattern anywhere in a text. The test throws `too_slow` as described in `regex.ts`. */
export function compilePattern(pattern: string): (text: string) => boolean {
  return searchingWith(pattern, (why) => new AppError('invalid', 'Invalid pattern', { details: why }))
}

/** Throws `invalid` if the text is no pattern for `searching`. */
export function assertPattern(field: string, text: string) {
  const refusal: RefusalFactory = (why) => invalid(field, `must be a regular expression (${why})`)
  searchingWith(text, refusal)
}
