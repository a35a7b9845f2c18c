import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type TestApp, testApp } from '../../support/app.ts'
import { type People, people } from '../../support/people.ts'

const hourMs = 3_600_000

let nines: TestApp
let who: People
beforeEach(async () => {
  nines = await testApp()
  who = await people(nines)
})
afterEach(() => nines.close())

const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
const create = () => nines.call('POST', '/api/v1/slos', slo, who.viewer)

/** Recorded refusals, oldest first, after a flush. */
async function refusals() {
  await nines.app.refusals.flush()
  const path = '/api/v1/audit-log?event=permission_denied&page_size=100'
  return (await nines.call('GET', path, undefined, who.admin)).body.entries.toReversed()
}

test('a refusal is in the audit log: who, with what, and which request', async () => {
  expect((await nines.call('PUT', '/api/v1/slos/7', { target: 1 }, who.viewer)).status).toBe(403)
  expect(await refusals()).toMatchObject([
    {
      event: 'permission_denied',
      outcome: 'failure',
      user_id: who.viewer.id,
      email: who.viewer.email,
      credential: { type: 'session' },
      details: { method: 'PUT', route: '/api/v1/slos/:id', reason: 'needs the role member' },
    },
  ])
})

test('a refusal that comes after the guard is there too', async () => {
  expect((await nines.call('GET', '/api/v1/audit-log', undefined, who.member)).status).toBe(403)
  expect((await nines.call('PUT', '/api/v1/cache/config', {}, who.stranger)).status).toBe(403)
  expect(await refusals()).toMatchObject([
    { user_id: who.member.id, details: { method: 'GET', route: '/api/v1/audit-log' } },
  ])
  const own = await nines.call('GET', '/api/v1/audit-log?event=permission_denied', undefined, who.stranger)
  expect(own.body.entries).toMatchObject([{ details: { method: 'PUT', route: '/api/v1/cache/config' } }])
})

test('a flood of refusals is two entries an hour: the first, and how many came after it', async () => {
  for (let count = 0; count < 300; count += 1) expect((await create()).status).toBe(403)
  expect(await refusals()).toHaveLength(1)
  nines.clock.advance(hourMs)
  const details = { method: 'POST', route: '/api/v1/slos', reason: 'needs the role member' }
  const first = { details, created_at: '2026-11-21T10:00:00.000Z' }
  const rest = {
    details: { ...details, repeats: 299, since: first.created_at },
    created_at: '2026-11-21T11:00:00.000Z',
  }
  expect(await refusals()).toMatchObject([first, rest])
  expect(await refusals()).toHaveLength(2)
  await create()
  expect(await refusals()).toHaveLength(3)
})

test('another route, method, user or token is another entry', async () => {
  await create()
  await create()
  await nines.call('POST', '/api/v1/tsdb/queries', {}, who.viewer)
  await nines.call('DELETE', '/api/v1/slos/1', undefined, who.viewer)
  await nines.call('DELETE', '/api/v1/slos/2', undefined, who.viewer)
  await nines.call('POST', '/api/v1/tsdb/sources', {}, who.member)
  const { body } = await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' }, who.viewer)
  await nines.call('POST', '/api/v1/slos', slo, body)
  const seen = (await refusals()).map(
    (entry: { email: string; credential: { type: string }; details: { method: string; route: string } }) =>
      `${entry.email} ${entry.credential.type} ${entry.details.method} ${entry.details.route}`,
  )
  expect(seen).toEqual([
    'viewer@example.com session POST /api/v1/slos',
    'viewer@example.com session POST /api/v1/tsdb/queries',
    'viewer@example.com session DELETE /api/v1/slos/:id',
    'member@example.com session POST /api/v1/tsdb/sources',
    'viewer@example.com api_token POST /api/v1/slos',
  ])
})

test('the count is written when nines stops', async () => {
  await create()
  await create()
  await nines.app.refusals.drain()
  expect((await refusals()).at(-1)).toMatchObject({ details: { repeats: 1 } })
})

test('a refusal that could not be written when it came is in the count, an hour after it', async () => {
  const { write } = nines.app.db
  await sql`pragma query_only = 1`.execute(write)
  expect((await create()).status).toBe(403)
  expect(await refusals()).toEqual([])
  await sql`pragma query_only = 0`.execute(write)
  nines.clock.advance(hourMs)
  expect(await refusals()).toMatchObject([{ details: { repeats: 1, since: '2026-11-21T10:00:00.000Z' } }])
})

test('what is wrong otherwise is no refusal', async () => {
  await nines.call('POST', '/api/v1/slos', {}, who.member)
  await nines.call('GET', '/api/v1/slos/99', undefined, who.viewer)
  await nines.call('POST', '/api/v1/slos', slo, { token: 'bad' })
  expect(await refusals()).toEqual([])
})

test('a refusal that cannot be recorded is refused all the same, with a line in the log', async () => {
  await nines.app.db.write.schema.alterTable('audit_log').renameTo('gone').execute()
  expect((await create()).status).toBe(403)
  await nines.app.refusals.flush()
  expect(nines.logged.filter((line) => line.includes('permission refusal not recorded'))).toHaveLength(1)
})
