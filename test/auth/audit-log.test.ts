import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Actor, recordAudit } from '../../src/db/audit.ts'
import { type TestApp, testStartMs } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.app.db.write.deleteFrom('audit_log').execute()
})
afterEach(() => nines.close())

const path = '/api/v1/audit-log'
const read = (query = '', token?: string) => nines.call('GET', `${path}${query}`, undefined, token ? { token } : {})
const idsOf = async (query: string) => (await read(query)).body.entries.map(({ id }: { id: number }) => id)
const ada: Actor = {
  organizationId: 1,
  userId: 1,
  email: 'ada@example.com',
  origin: { ip: '10.0.0.7', userAgent: 'curl' },
}
const setRole = (role: 'member' | 'viewer') => nines.app.db.write.updateTable('users').set({ role }).execute()

/** Writes an entry `afterMs` after the start of the test and returns its id. */
async function record(happening: Parameters<typeof recordAudit>[2], afterMs = 0, actor: Actor = ada): Promise<number> {
  await recordAudit(nines.app.db.write, actor, happening, testStartMs + afterMs)
  const { id } = await nines.app.db.write
    .selectFrom('audit_log')
    .select((q) => q.fn.max('id').as('id'))
    .executeTakeFirstOrThrow()
  return Number(id)
}

describe('the audit log', () => {
  test('has who did what, when and from where, newest first', async () => {
    const first = await record({ event: 'login' })
    const second = await record({ event: 'team_created', details: { id: 2, name: 'Платежи' } }, 1500)
    const { status, body } = await read()
    expect(status).toBe(200)
    const who = {
      user_id: 1,
      email: 'ada@example.com',
      ip: '10.0.0.7',
      user_agent: 'curl',
      outcome: 'success',
      credential: null,
    }
    expect(body).toEqual({
      entries: [
        {
          id: second,
          event: 'team_created',
          ...who,
          details: { id: 2, name: 'Платежи' },
          created_at: '2026-11-21T10:00:01.500Z',
        },
        { id: first, event: 'login', ...who, details: {}, created_at: '2026-11-21T10:00:00.000Z' },
      ],
      total: 2,
      page: 1,
      page_size: 10,
      has_next: false,
    })
  })

  test('comes in pages', async () => {
    const ids = []
    for (let count = 0; count < 5; count += 1) ids.unshift(await record({ event: 'login' }))
    expect((await read('?page=2&page_size=2')).body).toMatchObject({ total: 5, page: 2, page_size: 2, has_next: true })
    expect(await idsOf('?page=2&page_size=2')).toEqual(ids.slice(2, 4))
    expect((await read('?page=3&page_size=2')).body).toMatchObject({ entries: [{ id: ids[4] }], has_next: false })
    expect(await idsOf('?page=4&page_size=2')).toEqual([])
  })

  test('is narrowed by event, outcome, user and time', async () => {
    const login = await record({ event: 'login' })
    const failure = await record({ event: 'login', outcome: 'failure' }, 1000)
    const other = await record({ event: 'logout' }, 2000, { ...ada, userId: 7 })
    const nobody = await record({ event: 'login', outcome: 'failure' }, 3000, { ...ada, userId: null })
    expect(await idsOf('?event=login')).toEqual([nobody, failure, login])
    expect(await idsOf('?outcome=failure')).toEqual([nobody, failure])
    expect(await idsOf('?user_id=7')).toEqual([other])
    expect(await idsOf('?event=login&outcome=failure&user_id=1')).toEqual([failure])
    expect(await idsOf('?from=2026-11-21T10:00:01Z&to=2026-11-21T10:00:03Z')).toEqual([other, failure])
    expect(await idsOf('?to=2026-11-21T12:00:01%2B02:00')).toEqual([login])
    expect(await idsOf('?to=2026-11-21T12:00:01+02:00')).toEqual([login])
    expect((await read('?event=login&page_size=1')).body).toMatchObject({ total: 3, has_next: true })
  })

  test('is narrowed by what was changed: its number, or a part of its name', async () => {
    const slo = await record({ event: 'slo_changed', details: { id: 12, name: 'Checkout "answers" 100%', target: 7 } })
    const rule = await record({ event: 'rule_created', details: { id: 7, slo_id: 12, channel_name: 'On-call' } })
    const role = await record({ event: 'user_role_changed', details: { user_id: 112, user_email: 'bob@example.com' } })
    expect(await idsOf('?object=12')).toEqual([rule, slo])
    expect(await idsOf('?object=7')).toEqual([rule])
    expect(await idsOf('?object=checkout')).toEqual([slo])
    expect(await idsOf(`?object=${encodeURIComponent('"ANSWERS" 100%')}`)).toEqual([slo])
    expect(await idsOf('?object=on-call')).toEqual([rule])
    expect(await idsOf('?object=BOB@')).toEqual([role])
    expect(await idsOf('?object=%25')).toEqual([slo])
    expect(await idsOf('?object=bob@&event=login')).toEqual([])
    const { text } = await read('?object=12&format=csv')
    expect(text.trim().split('\r\n')).toHaveLength(3)
  })

  test.each([
    ['event=nonsense', /^event: must be one of account_created, login, /],
    ['outcome=maybe', 'outcome: must be one of success, failure'],
    ['user_id=0', 'user_id: must be a whole number from 1 to 999999999999999'],
    ['user_id=1%20OR%201=1', 'user_id: must be a whole number from 1 to 999999999999999'],
    ['from=yesterday', 'from: must be an ISO 8601 time with a zone'],
    ['from=2026-11-21T10:00:00', 'from: must be an ISO 8601 time with a zone'],
    ['to=2026-02-30T10:00:00Z', 'to: must be an ISO 8601 time with a zone'],
    ['format=xml', 'format: must be one of json, csv, jsonl'],
    ['page=0', 'page: must be a whole number from 1 to 1000000000'],
    ['page_size=101', 'page_size: must be a whole number from 1 to 100'],
  ])('refuses %s', async (query, details) => {
    const { status, body } = await read(`?${query}`)
    expect([status, body.success]).toEqual([400, false])
    expect(body.details).toMatch(details)
  })

  test.each(['member', 'viewer'] as const)('is refused to a %s, before the query is looked at', async (role) => {
    await setRole(role)
    for (const query of ['', '?format=csv', '?format=xml&page=0']) {
      const { status, body } = await read(query)
      const forbidden = { success: false, error: 'Insufficient permissions', details: 'needs the role admin' }
      expect([status, body]).toEqual([403, forbidden])
    }
  })

  test('shows nothing of another organization, filtered or not', async () => {
    const eve = await nines.join('eve')
    const own = (await read('', eve)).body.entries
    expect(own).toMatchObject([{ event: 'account_created', email: 'eve@example.com' }])
    await record({ event: 'login' })
    expect((await read('', eve)).body.entries).toEqual(own)
    expect((await read('?user_id=1', eve)).body).toMatchObject({ entries: [], total: 0 })
    expect((await read('?format=jsonl', eve)).text).toBe(`${JSON.stringify(own[0])}\n`)
    expect((await read()).body).toMatchObject({ entries: [{ event: 'login' }], total: 1 })
  })

  test('is changed by no request', async () => {
    const id = await record({ event: 'login' })
    const before = await nines.app.db.read.selectFrom('audit_log').selectAll().execute()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await nines.call(method, path, { event: 'x' })).status).toBe(405)
      expect((await nines.call(method, `${path}/${id}`, { event: 'x' })).status).toBe(404)
    }
    expect(await nines.app.db.read.selectFrom('audit_log').selectAll().execute()).toEqual(before)
  })
})
