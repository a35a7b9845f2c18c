import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { peopleApp } from '../../support/reused-app.ts'
import { lastAudit, type People, storedRows } from '../../support/people.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/auth/me'

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp())
})
afterEach(() => nines.close())

describe('the name of a person', () => {
  test('is changed by the person, and seen by others and in the audit log from then on', async () => {
    const { status, body } = await nines.call('PUT', path, { name: ' Viola ' }, who.viewer)
    expect([status, body.name, body.time_zone]).toEqual([200, 'Viola', null])
    expect(await lastAudit(nines)).toMatchObject({
      event: 'profile_changed',
      details: { name: 'Viola', name_before: 'viewer' },
    })
    const { body: seen } = await nines.call('GET', `/api/v1/organization/users/${who.viewer.id}`, undefined, who.admin)
    expect(seen.name).toBe('Viola')
  })

  test.each(['', '   ', 'x'.repeat(201), 7, null])('is not %p', async (name) => {
    const { status, body } = await nines.call('PUT', path, { name }, who.viewer)
    expect([status, body.problems?.[0]?.field]).toEqual([400, 'name'])
  })
})

describe('the time zone and clock of a person', () => {
  test.each(['admin', 'member', 'viewer'] as const)('are set by a %s for themselves alone', async (role) => {
    const { status, body } = await nines.call('PUT', path, { time_zone: 'Asia/Kolkata', clock: '12h' }, who[role])
    expect([status, body]).toMatchObject([200, { id: who[role].id, time_zone: 'Asia/Kolkata', clock: '12h' }])
    expect((await nines.call('GET', path, undefined, who[role])).body).toEqual(body)
    const zones = (await nines.app.db.read.selectFrom('users').select('time_zone').execute()).map(
      (row) => row.time_zone,
    )
    expect(zones.filter((zone) => zone !== null)).toEqual(['Asia/Kolkata'])
    expect(await lastAudit(nines)).toMatchObject({
      event: 'profile_changed',
      user_id: who[role].id,
      details: { time_zone: 'Asia/Kolkata', time_zone_before: null, clock: '12h', clock_before: null },
    })
  })

  test('stay where they are absent, and are taken back with null', async () => {
    await nines.call('PUT', path, { time_zone: 'Asia/Kolkata', clock: '12h' }, who.viewer)
    const { body } = await nines.call('PUT', path, { clock: null }, who.viewer)
    expect(body).toMatchObject({ time_zone: 'Asia/Kolkata', clock: null })
    const before = await storedRows(nines)
    expect((await nines.call('PUT', path, { time_zone: 'Asia/Kolkata' }, who.viewer)).status).toBe(200)
    expect(await storedRows(nines)).toEqual(before)
  })

  test('come with those of the organization, which count where a person has none', async () => {
    await nines.call('PUT', '/api/v1/organization', { time_zone: 'Pacific/Chatham' }, who.admin)
    const { body } = await nines.call('GET', path, undefined, who.viewer)
    expect(body).toMatchObject({
      time_zone: null,
      clock: null,
      organization: { time_zone: 'Pacific/Chatham', clock: null },
    })
  })

  test('are at least one in a body', async () => {
    const { status, body } = await nines.call('PUT', path, {}, who.viewer)
    expect([status, rulesOf(body)]).toEqual([400, 'body: must have at least one of name, time_zone, clock'])
  })

  test('are refused by field', async () => {
    const sent = { time_zone: 'Zurich', clock: 'am' }
    const { status, body } = await nines.call('PUT', path, sent, who.viewer)
    expect([status, body.problems]).toMatchObject([400, [{ field: 'time_zone' }, { field: 'clock' }]])
  })

  test('are, with the name, all that a body changes', async () => {
    const sent = { clock: '24h', role: 'admin', name: 'Eve', organization_id: 2, email: 'eve@example.com' }
    const { body } = await nines.call('PUT', path, sent, who.viewer)
    expect(body).toMatchObject({ id: who.viewer.id, name: 'Eve', role: 'viewer', organization_id: 1, clock: '24h' })
  })
})
