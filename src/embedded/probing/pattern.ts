import { AppError, invalid } from '../../errors.ts'
import { type RefusalFactory, compileSearch } from '../../promql/regex.ts'

/** Test for a match of a valid pattern anywhere in a text. The test throws `too_slow` as described in `regex.ts`. */
export function compilePattern(pattern: string): (text: string) => boolean {
  return compileSearch(pattern, (why) => new AppError('invalid', 'Invalid pattern', { details: why }))
}

/** Throws `invalid` if `compilePattern` would refuse the text. */
export function assertPattern(field: string, text: string) {
  const refusal: RefusalFactory = (why) => invalid(field, `must be a regular expression (${why})`)
  compileSearch(text, refusal)
}
