import type { Role } from '../../src/role.ts'
import type { Answer, TestApp } from './app.ts'

export type Person = { id: number; token: string; email: string }

/** An organization with a user of each role, the administrator first, and a user of another organization. */
export type People = Record<Role | 'stranger', Person>

export async function people(nines: TestApp): Promise<People> {
  const admin = await newOrganizationUser(nines, 'admin')
  return {
    admin,
    member: await invited(nines, admin, 'member', 'member'),
    viewer: await invited(nines, admin, 'viewer', 'viewer'),
    stranger: await newOrganizationUser(nines, 'stranger'),
  }
}

/** A user in a new organization. */
export async function newOrganizationUser(nines: TestApp, name: string): Promise<Person> {
  const token = await nines.join(name)
  const { body } = await nines.call('GET', '/api/v1/auth/me', undefined, { token })
  return { id: body.id, token, email: body.email }
}

/** A user who accepted an administrator's invitation. */
export async function invited(nines: TestApp, admin: Person, name: string, role: Role): Promise<Person> {
  const email = `${name}@example.com`
  const { body } = await nines.call('POST', '/api/v1/organization/invitations', { email, role }, admin)
  const answer = await accept(nines, email, body.token)
  if (answer.status !== 201) throw new Error(answer.text)
  return { id: answer.body.user.id, token: answer.body.access_token, email }
}

/** Registers with an invitation. */
export function accept(nines: TestApp, email: string, token: unknown, more: object = {}): Promise<Answer> {
  const registration = { email, name: email.split('@')[0], password: 'correct horse', invitation_token: token, ...more }
  return nines.call('POST', '/api/v1/auth/register', registration, { token: null })
}

/** Everything that a refused request must not change. The entry for the refusal, written a moment later, is left out. */
export async function storedRows({ app }: TestApp): Promise<unknown> {
  const tables = ['organizations', 'teams', 'users', 'invitations', 'slos'] as const
  return Promise.all([
    ...tables.map((table) => app.db.read.selectFrom(table).selectAll().execute()),
    app.db.read.selectFrom('audit_log').selectAll().where('event', '!=', 'permission_denied').execute(),
  ])
}

/** Newest entry of the audit log, without refusals. */
export async function lastAudit({ app }: TestApp) {
  const row = await app.db.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '!=', 'permission_denied')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const details: unknown = JSON.parse(row.details)
  return { event: row.event, user_id: row.user_id, organization_id: row.organization_id, details }
}
