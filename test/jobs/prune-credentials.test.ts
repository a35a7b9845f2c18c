import { afterEach, beforeEach, expect, test } from 'bun:test'
import { pruneOldRows } from '../../src/jobs/prune.ts'
import { addUser, login } from '../support/accounts.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

const hour = 3_600_000
const day = 24 * hour

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

type Table = 'password_resets' | 'refresh_tokens' | 'orphaned_refresh_tokens' | 'api_tokens' | 'invitations'

async function left(table: Table): Promise<number> {
  await pruneOldRows(nines.app)
  return (await nines.app.db.read.selectFrom(table).selectAll().execute()).length
}

const call = (path: string, body: object, token?: string | null) =>
  nines.call('POST', `/api/v1/${path}`, body, token === undefined ? {} : { token })

test('a password reset is forgotten with its hour, used or not, and whether anybody got it or not', async () => {
  for (const name of ['ada', 'nobody'])
    await call('auth/password-reset-request', { email: `${name}@example.com` }, null)
  nines.clock.advance(hour - 1)
  expect(await left('password_resets')).toBe(2)
  nines.clock.advance(1)
  expect(await left('password_resets')).toBe(0)
})

test('a used refresh token is forgotten after 30 days, the one in use is not', async () => {
  const { body } = await login(nines, 'ada')
  const next = await call('auth/refresh', { refresh_token: body.refresh_token }, null)
  nines.clock.advance(29 * day)
  await call('auth/refresh', { refresh_token: next.body.refresh_token }, null)
  nines.clock.advance(day - 1)
  const before = await left('refresh_tokens')
  nines.clock.advance(1)
  // The session of `join`, by now a day older than the other, has expired, and its token with it.
  expect([before, await left('refresh_tokens')]).toEqual([4, 2])
})

test('the refresh tokens of a deleted user are forgotten when they would have expired', async () => {
  await addUser(nines, 'bob', 'member')
  await nines.app.db.write.deleteFrom('users').where('name', '=', 'bob').execute()
  nines.clock.advance(30 * day - 1)
  expect(await left('orphaned_refresh_tokens')).toBe(1)
  nines.clock.advance(1)
  expect(await left('orphaned_refresh_tokens')).toBe(0)
})

test('an API token is forgotten 30 days after its end, and never without one', async () => {
  const expires_at = new Date(nines.clock.now() + day).toISOString()
  for (const end of [{ expires_at }, {}]) await call('auth/tokens', { name: 'a', role: 'viewer', ...end })
  nines.clock.advance(31 * day - 1)
  expect(await left('api_tokens')).toBe(2)
  nines.clock.advance(1)
  expect(await left('api_tokens')).toBe(1)
})

test('an invitation is forgotten 30 days after its end', async () => {
  const row = { organization_id: 1, email: 'b@c.d', email_key: 'b@c.d', role: 'viewer', invited_by: 1 } as const
  const nowMs = nines.clock.now()
  const times = { created_at: nowMs, expires_at: nowMs + 7 * day, accepted_at: null }
  await nines.app.db.write
    .insertInto('invitations')
    .values({ ...row, ...times, hash: 'x' })
    .execute()
  nines.clock.advance(37 * day - 1)
  expect(await left('invitations')).toBe(1)
  nines.clock.advance(1)
  expect(await left('invitations')).toBe(0)
})

test('many go in steps, and others are served in between', async () => {
  const { db, clock } = nines.app
  const times = { created_at: clock.now(), expires_at: clock.now() + hour, used_at: null, user_id: null }
  const resets = Array.from({ length: 2500 }, (_, n) => ({ ...times, hash: String(n) }))
  await db.write.insertInto('password_resets').values(resets).execute()
  nines.clock.advance(hour)
  const forgetting = pruneOldRows(nines.app)
  await new Promise(setImmediate)
  const meanwhile = (await db.read.selectFrom('password_resets').select('hash').execute()).length
  expect(meanwhile).toBeGreaterThan(0)
  expect(meanwhile).toBeLessThan(2501)
  await forgetting
  expect(await left('password_resets')).toBe(0)
})
