import { invalid } from '../errors.ts'
import { emailKey } from './store.ts'

/** Throws `invalid`, naming `field`, for a password that is its owner's e-mail; the schema has seen to its length. */
export function assertPasswordFits(field: string, password: string, email: string): void {
  if (password.toLowerCase() === emailKey(email)) throw invalid(field, 'wanted something else than the e-mail')
}
