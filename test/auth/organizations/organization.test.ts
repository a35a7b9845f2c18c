import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { peopleApp } from '../../support/reused-app.ts'
import { storedRows, lastAudit, type People } from '../../support/people.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/organization'

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp())
})
afterEach(() => nines.close())

describe('the organization', () => {
  test.each(['admin', 'member', 'viewer'] as const)('is readable for its %s', async (role) => {
    const { status, body } = await nines.call('GET', path, undefined, who[role])
    const created_at = new Date(testStartMs).toISOString()
    expect([status, body]).toEqual([
      200,
      {
        id: 1,
        name: 'admin Inc',
        time_zone: null,
        clock: null,
        second_factor_required: false,
        created_at,
        users: 3,
        channel_tested: false,
        role,
      },
    ])
  })

  test('is another one for somebody else', async () => {
    const { body } = await nines.call('GET', path, undefined, who.stranger)
    expect(body).toMatchObject({ id: 2, name: 'stranger Inc', users: 1, role: 'admin' })
  })

  test('gets another name from its administrator, which is in the audit log', async () => {
    const { status, body } = await nines.call('PUT', path, { name: '  Analytical Engines ' }, who.admin)
    expect([status, body]).toMatchObject([200, { id: 1, name: 'Analytical Engines', users: 3, role: 'admin' }])
    expect((await nines.call('GET', path, undefined, who.viewer)).body.name).toBe('Analytical Engines')
    expect((await nines.call('GET', path, undefined, who.stranger)).body.name).toBe('stranger Inc')
    expect(await lastAudit(nines)).toEqual({
      event: 'organization_changed',
      user_id: who.admin.id,
      organization_id: 1,
      details: { name: 'Analytical Engines', name_before: 'admin Inc' },
    })
  })

  test('that is given the name it has is not changed', async () => {
    const before = await storedRows(nines)
    expect((await nines.call('PUT', path, { name: 'admin Inc' }, who.admin)).status).toBe(200)
    expect(await storedRows(nines)).toEqual(before)
  })

  test.each(['member', 'viewer'] as const)('is not renamed by its %s, whatever the body', async (role) => {
    const before = await storedRows(nines)
    for (const sent of [{ name: 'Mine' }, {}]) {
      const { status, body } = await nines.call('PUT', path, sent, who[role])
      expect([status, rulesOf(body)]).toEqual([403, 'needs the role admin'])
    }
    expect(await storedRows(nines)).toEqual(before)
  })

  test.each([
    ['a blank name', { name: '  ' }],
    ['a long name', { name: 'x'.repeat(201) }],
    ['a name with a line break', { name: 'Nice\r\nBcc: everybody@example.com' }],
    ['a name with a Unicode line break', { name: 'Nice\u2028Bcc: everybody@example.com' }],
  ])('refuses %s', async (_, sent) => {
    const before = await storedRows(nines)
    const { status, body } = await nines.call('PUT', path, sent, who.admin)
    expect([status, rulesOf(body)]).toEqual([
      400,
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('takes nothing but name, time zone and clock from a body', async () => {
    const sent = {
      name: 'New',
      clock: '12h',
      id: 2,
      organization_id: 2,
      next_team_id: 1,
      created_at: 0,
      role: 'viewer',
    }
    const { body } = await nines.call('PUT', path, sent, who.admin)
    expect(body).toMatchObject({ id: 1, name: 'New', role: 'admin' })
    const rows = await nines.app.db.read.selectFrom('organizations').selectAll().execute()
    expect(rows).toEqual([
      {
        id: 1,
        name: 'New',
        created_at: testStartMs,
        next_team_id: 2,
        time_zone: null,
        clock: '12h',
        second_factor_required: 0,
      },
      {
        id: 2,
        name: 'stranger Inc',
        created_at: testStartMs,
        next_team_id: 2,
        time_zone: null,
        clock: null,
        second_factor_required: 0,
      },
    ])
  })
})

describe('the time zone and clock of the organization', () => {
  test('are set by its administrator and taken back with null, which the audit log has', async () => {
    const { status, body } = await nines.call('PUT', path, { time_zone: 'europe/zurich', clock: '12h' }, who.admin)
    expect([status, body]).toMatchObject([200, { name: 'admin Inc', time_zone: 'Europe/Zurich', clock: '12h' }])
    expect(await lastAudit(nines)).toMatchObject({
      event: 'organization_changed',
      details: { time_zone: 'Europe/Zurich', time_zone_before: null, clock: '12h', clock_before: null },
    })
    await nines.call('PUT', path, { time_zone: null }, who.admin)
    expect((await nines.call('GET', path, undefined, who.viewer)).body).toMatchObject({ time_zone: null, clock: '12h' })
    expect((await nines.call('GET', path, undefined, who.stranger)).body).toMatchObject({
      time_zone: null,
      clock: null,
    })
  })

  test.each(['member', 'viewer'] as const)('are not set by its %s', async (role) => {
    const before = await storedRows(nines)
    const { status, body } = await nines.call('PUT', path, { time_zone: 'Europe/Zurich' }, who[role])
    expect([status, rulesOf(body)]).toEqual([403, 'needs the role admin'])
    expect(await storedRows(nines)).toEqual(before)
  })

  test.each([
    [{ time_zone: 'Mars/Olympus' }, 'time_zone: must be an IANA time zone such as Europe/Zurich, or null'],
    [{ time_zone: '+01:00' }, 'time_zone: must be an IANA time zone such as Europe/Zurich, or null'],
    [{ time_zone: '' }, 'time_zone: must be an IANA time zone such as Europe/Zurich, or null'],
    [{ time_zone: 60 }, 'time_zone: must be an IANA time zone such as Europe/Zurich, or null'],
    [{}, 'body: must have at least one of name, time_zone, clock, second_factor_required'],
    [{ clock: '24' }, 'clock: must be one of 12h, 24h, or null'],
  ])('are refused by field: %j', async (sent, details) => {
    const before = await storedRows(nines)
    const { status, body } = await nines.call('PUT', path, sent, who.admin)
    expect([status, rulesOf(body)]).toEqual([400, details])
    expect(await storedRows(nines)).toEqual(before)
  })
})
