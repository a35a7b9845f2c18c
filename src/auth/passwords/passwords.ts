import { availableParallelism } from 'node:os'
import { createSemaphore } from '../../concurrency/semaphore.ts'

/** Hashes and checks passwords; both cost about 30 ms of another thread. */
export type Passwords = {
  hash(password: string): Promise<string>
  /** `null` where nobody has that e-mail: false, and as slow as a real check. */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Of argon2id: memory in KiB, and passes over it. */
export type PasswordCost = { memoryCost: number; timeCost: number }

/** OWASP's recommended cost. */
export const recommendedCost: PasswordCost = { memoryCost: 19_456, timeCost: 2 }

/** One core is left to everybody else; and each hash in progress holds 19 MiB. */
const maxAtOnce = Math.max(1, Math.min(4, availableParallelism() - 1))

export function createPasswords(passwordCost: PasswordCost = recommendedCost): Passwords {
  const cost = { algorithm: 'argon2id', ...passwordCost } as const
  const semaphore = createSemaphore(maxAtOnce)
  const nobody = Bun.password.hash(crypto.randomUUID(), cost)
  return {
    hash: (password) => semaphore.run(() => Bun.password.hash(password, cost)),
    matches: (password, hash) =>
      semaphore.run(async () => {
        const matched = await Bun.password.verify(password, hash ?? (await nobody))
        return matched && hash !== null
      }),
  }
}
