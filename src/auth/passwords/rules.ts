import { invalid } from '../../errors.ts'
import listed from './common-passwords.txt' with { type: 'text' }
import { emailKey } from '../accounts/store.ts'

/** Throws `invalid`, naming `field`, for a password that is its owner's e-mail or very common; the schema checks its length. */
export function assertPasswordFits(field: string, password: string, email: string): void {
  const lower = password.toLowerCase()
  if (lower === emailKey(email)) throw invalid(field, 'must be something else than the e-mail')
  if (commonPasswords().has(lower)) throw invalid(field, 'must not be one of the 10,000 most common passwords')
}

let common: Set<string> | undefined

/** In lower case. Read when the first password is set: most starts never need them. */
function commonPasswords(): Set<string> {
  common ??= new Set(listed.slice(listed.indexOf('\n---\n') + 5).split('\n'))
  return common
}
