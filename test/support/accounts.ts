import { insertUser } from '../../src/auth/accounts/store.ts'
import { openSession } from '../../src/auth/sessions/sessions.ts'
import type { Role } from '../../src/role.ts'
import type { Answer, TestApp } from './app.ts'

/** The password that `join` gives every account. */
export const usualPassword = 'correct horse'

export function login(nines: TestApp, name: string, password = usualPassword): Promise<Answer> {
  return nines.call('POST', '/api/v1/auth/login', { email: `${name}@example.com`, password }, { token: null })
}

/** Adds a user with the usual password to the organization of the first account. Returns an access token. */
export async function addUser(nines: TestApp, name: string, role: Role): Promise<string> {
  const first = await nines.app.db.read.selectFrom('users').selectAll().orderBy('id').executeTakeFirstOrThrow()
  const { id: _, ...like } = first
  const user = await insertUser(nines.app.db.write, {
    ...like,
    name,
    role,
    email: `${name}@example.com`,
    email_key: `${name}@example.com`,
  })
  return (await openSession(nines.app, user)).access_token
}

/** True if the access token is accepted, false if it gets 401. Throws for any other status. */
export async function isGood(nines: TestApp, token: string): Promise<boolean> {
  const { status } = await nines.call('GET', '/api/v1/auth/me', undefined, { token })
  if (status !== 200 && status !== 401) throw new Error(`unexpected status ${status}`)
  return status === 200
}

/** Audit log entries of one event, oldest first, as `email outcome`. */
export async function audited(nines: TestApp, event: string): Promise<string[]> {
  const rows = await nines.app.db.read
    .selectFrom('audit_log')
    .select(['email', 'outcome'])
    .where('event', '=', event)
    .orderBy('id')
    .execute()
  return rows.map(({ email, outcome }) => `${email} ${outcome}`)
}
