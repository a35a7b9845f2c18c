import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { isDuplicate } from '../db/constraints.ts'
import type { Database, Db } from '../db/open.ts'
import type { UserRow } from '../db/tables.ts'
import { AppError, invalid } from '../errors.ts'
import type { Passwords } from './passwords.ts'
import { anyUser, emailKey, findUserByEmail, insertLoginAttempt, insertOrganization, insertUser } from './store.ts'

type Deps = { db: Database; clock: Clock; passwords: Passwords }

/** Gives a new organization what it starts with, inside the transaction that makes it. */
export type EquipOrganization = (trx: Db, organizationId: number, nowMs: number) => Promise<void>

type Registration = { email: string; name: string; password: string; organization_name?: string }

type RegisterDeps = Deps & { registration: Config['registration']; equipOrganization: EquipOrganization }

/** Makes a user and the organization it administers. Throws `conflict` for an e-mail in use, `forbidden` by settings. */
export async function register(deps: RegisterDeps, wanted: Registration): Promise<UserRow> {
  if (wanted.password.toLowerCase() === emailKey(wanted.email)) {
    throw invalid('password', 'wanted something else than the e-mail')
  }
  await assertRegistrationOpen(deps.db.read, deps.registration)
  const passwordHash = await deps.passwords.hash(wanted.password)
  const nowMs = deps.clock.now()
  try {
    return await deps.db.write.transaction().execute(async (trx) => {
      await assertRegistrationOpen(trx, deps.registration)
      const organizationId = await insertOrganization(trx, wanted.organization_name ?? wanted.name, nowMs)
      await deps.equipOrganization(trx, organizationId, nowMs)
      return insertUser(trx, {
        organization_id: organizationId,
        email: wanted.email,
        email_key: emailKey(wanted.email),
        name: wanted.name,
        role: 'admin',
        password_hash: passwordHash,
        created_at: nowMs,
        updated_at: nowMs,
      })
    })
  } catch (cause) {
    if (!isDuplicate(cause)) throw cause
    throw new AppError('conflict', 'E-mail already registered', { cause })
  }
}

/** The user with this e-mail and password; else `unauthenticated`, in the same words and time for either mistake. */
export async function login(deps: Deps, email: string, password: string, ip: string): Promise<UserRow> {
  const user = await findUserByEmail(deps.db.read, email)
  const matched = await deps.passwords.matches(password, user?.password_hash ?? null)
  if (user && matched) return user
  await insertLoginAttempt(deps.db.write, email, ip, deps.clock.now())
  throw new AppError('unauthenticated', 'Invalid credentials')
}

/** The very first account of an instance may always be made: somebody has to administer it. */
async function assertRegistrationOpen(db: Db, registration: Config['registration']): Promise<void> {
  if (registration === 'open' || !(await anyUser(db))) return
  throw new AppError('forbidden', 'Registration is not open', {
    details: registration === 'invite' ? 'wanted an invitation' : 'an administrator has closed it',
  })
}
