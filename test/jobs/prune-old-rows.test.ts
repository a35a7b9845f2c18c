import { afterEach, beforeEach, expect, test } from 'bun:test'
import { recordAudit } from '../../src/db/audit.ts'
import type { NewExecution } from '../../src/db/tables/tables.ts'
import { pruneOldRows } from '../../src/jobs/prune.ts'
import { insertExecutions } from '../../src/sources/store.ts'
import { type TestApp, testStartMs } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

const day = 86_400_000

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp({ env: { RETENTION_DAYS: '30' } })
})
afterEach(() => nines.close())

const count = async (table: 'sessions' | 'refresh_tokens' | 'login_attempts' | 'executions') =>
  (await nines.app.db.read.selectFrom(table).selectAll().execute()).length

async function addExecutions(times: number[]) {
  const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  const { body } = await nines.call('POST', '/api/v1/slos', slo)
  const execution = (executed_at: number): NewExecution => ({
    organization_id: 1,
    slo_id: body.id,
    query_id: null,
    executed_at,
    duration_ms: 1,
    status: 'success',
    error: null,
    result_samples: 1,
    metadata: '{}',
    created_at: executed_at,
  })
  await insertExecutions(nines.app.db.write, times.map(execution))
}

test('a session goes when it has expired, with its refresh tokens, and not before', async () => {
  nines.clock.advance(30 * day - 1)
  const young = await nines.join('eve')
  await pruneOldRows(nines.app)
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([2, 2])
  nines.clock.advance(1)
  await pruneOldRows(nines.app)
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([1, 1])
  expect((await nines.call('GET', '/api/v1/auth/me', undefined, { token: young })).status).toBe(200)
})

test('a clock that is set ahead makes nothing old for a day', async () => {
  const forget = async () => pruneOldRows({ ...nines.app, clock: await nines.app.retentionClock })
  await forget()
  nines.clock.jump(40 * day)
  await forget()
  nines.clock.advance(day - 1)
  await forget()
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([1, 1])
  nines.clock.advance(1)
  await forget()
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([0, 0])
})

test('a failed login is forgotten after a day', async () => {
  const fail = () => nines.call('POST', '/api/v1/auth/login', { email: 'a@b.c', password: 'wrong' }, { token: null })
  await fail()
  nines.clock.advance(day)
  await fail()
  await pruneOldRows(nines.app)
  expect(await count('login_attempts')).toBe(2)
  nines.clock.advance(1)
  await pruneOldRows(nines.app)
  const left = await nines.app.db.read.selectFrom('login_attempts').select('attempted_at').execute()
  expect(left).toEqual([{ attempted_at: testStartMs + day }])
})

test('an execution is forgotten RETENTION_DAYS after it ran', async () => {
  const oldest = testStartMs - 30 * day
  await addExecutions([oldest - 1, oldest, testStartMs])
  await pruneOldRows(nines.app)
  const left = await nines.app.db.read.selectFrom('executions').select('executed_at').execute()
  expect(left.map(({ executed_at }) => executed_at)).toEqual([oldest, testStartMs])
})

test('many executions go in steps, and others are served in between', async () => {
  const old = testStartMs - 31 * day
  await addExecutions(Array.from({ length: 2500 }, () => old))
  await addExecutions([testStartMs])
  const forgetting = pruneOldRows(nines.app)
  let meanwhile = 2501
  for (; meanwhile === 2501; meanwhile = await count('executions')) await new Promise(setImmediate)
  expect(meanwhile).toBeGreaterThan(1)
  await forgetting
  expect(await count('executions')).toBe(1)
})

test('an entry of the audit log is forgotten after RETENTION_DAYS', async () => {
  await nines.app.db.write.deleteFrom('audit_log').execute()
  const actor = { organizationId: 1, userId: null, email: null, origin: { ip: '', userAgent: '' } }
  for (const time of [testStartMs - 30 * day - 1, testStartMs - 30 * day, testStartMs]) {
    await recordAudit(nines.app.db.write, actor, { event: 'login' }, time)
  }
  await pruneOldRows(nines.app)
  const left = await nines.app.db.read.selectFrom('audit_log').select('created_at').execute()
  expect(left.map(({ created_at }) => created_at)).toEqual([testStartMs - 30 * day, testStartMs])
})

test('everything else stays', async () => {
  await addExecutions([testStartMs])
  nines.clock.advance(400 * day)
  await pruneOldRows(nines.app)
  const { db } = nines.app
  for (const table of ['organizations', 'teams', 'users', 'slos'] as const) {
    expect(await db.read.selectFrom(table).selectAll().execute()).toHaveLength(1)
  }
})
