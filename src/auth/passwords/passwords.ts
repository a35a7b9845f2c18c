import { availableParallelism } from 'node:os'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import type { Config } from '../../config.ts'
import { AppError, invalid } from '../../errors.ts'
import passwordList from './common-passwords.txt' with { type: 'text' }
import { emailKey } from '../accounts/store.ts'
import { assertBreachedPasswords, isBreached } from './breached-passwords.ts'

/** Hashes and checks passwords; both take about 30 ms of another thread. */
export type Passwords = {
  hash(password: string): Promise<string>
  /** `hash` null: no account with a password has that e-mail. Returns false then, as slowly as a real check. */
  matches(password: string, hash: string | null): Promise<boolean>
  /** Throws `invalid`, naming `field`, for a password that the user of this e-mail may not have. */
  assertAcceptable(field: string, password: string, email: string): Promise<void>
}

/** Cost of argon2id: memory in KiB, and passes over it. */
export type PasswordCost = { memoryCost: number; timeCost: number }

/** OWASP's recommended cost. */
export const recommendedCost: PasswordCost = { memoryCost: 19_456, timeCost: 2 }

/** Leaves one core to all other work; each hash in progress holds 19 MiB. */
const concurrency = Math.max(1, Math.min(4, availableParallelism() - 1))

/** Throws if `BREACHED_PASSWORDS_FILE` cannot be used. */
export function createPasswords(
  { breachedPasswordsFile }: Pick<Config, 'breachedPasswordsFile'>,
  passwordCost: PasswordCost = recommendedCost,
): Passwords {
  if (breachedPasswordsFile !== null) assertBreachedPasswords(breachedPasswordsFile)
  const cost = { algorithm: 'argon2id', ...passwordCost } as const
  const semaphore = createSemaphore(concurrency)
  const dummyHash = Bun.password.hash(crypto.randomUUID(), cost)
  return {
    hash: (password) => semaphore.run(() => Bun.password.hash(password, cost)),
    matches: (password, hash) =>
      semaphore.run(async () => {
        const isMatch = await Bun.password.verify(password, hash ?? (await dummyHash))
        return isMatch && hash !== null
      }),
    async assertAcceptable(field, password, email) {
      assertUncommon(field, password, email)
      if (breachedPasswordsFile === null) return
      if (await isBreached(breachedPasswordsFile, password).catch(cannotCheck))
        throw invalid(field, 'must not be a password that is known from a data breach')
    },
  }
}

function cannotCheck(cause: unknown): never {
  throw new AppError('unavailable', 'The password cannot be checked', {
    details: 'the list of breached passwords cannot be read: ask the administrator, who sees why with nines doctor',
    cause,
  })
}

/**
 * Throws `invalid`, naming `field`, for a password that is very common or the user's e-mail, or that consists of a part of the
 * e-mail or the word nines, with any digits and punctuation. The schema checks the length.
 */
function assertUncommon(field: string, password: string, email: string): void {
  const lower = password.toLowerCase()
  if (lower === emailKey(email)) throw invalid(field, 'must not be the e-mail')
  if (wordsOf(email).has(lettersOf(lower)))
    throw invalid(field, 'must not be a part of the e-mail or the word nines with digits and punctuation')
  if (commonPasswords().has(lower)) throw invalid(field, 'must not be one of the 10,000 most common passwords')
}

const lettersOf = (text: string) => text.replaceAll(/[^\p{L}]/gu, '')

/** Words that an attacker who knows the account tries first: parts of its e-mail, and nines. */
function wordsOf(email: string): Set<string> {
  const words = emailKey(email).split(/[@.]/)
  return new Set(['nines', email.split('@')[0] ?? '', ...words].map(lettersOf).filter((word) => word !== ''))
}

let common: Set<string> | undefined

/** Common passwords in lower case, which follow the licence in the file. Read when needed: most starts never need them. */
function commonPasswords(): Set<string> {
  common ??= new Set(passwordList.slice(passwordList.indexOf('\n---\n') + 5).split('\n'))
  return common
}
