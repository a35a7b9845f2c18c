import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { listSilencesInForce } from '../../../src/notifications/silences/silence-store.ts'
import { audited } from '../../support/accounts.ts'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { dump } from '../../support/populated.ts'
import { checkout } from '../../support/slo-calls.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/notifications/silences'
const day = 86_400_000
const at = (ms: number) => new Date(testStartMs + ms).toISOString()

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', checkout)
})
afterEach(() => nines.close())

const create = (times: object) => nines.call('POST', path, { slo_id: 1, comment: 'x', ...times })
const change = (until: string) => nines.call('PUT', `${path}/1`, { until })
const end = (id = 1) => nines.call('DELETE', `${path}/${id}`)
const read = async (id = 1) => (await nines.call('GET', `${path}/${id}`)).body.data
const ids = async (query = '') =>
  (await nines.call('GET', `${path}${query}`)).body.silences.map(({ id }: { id: number }) => id)
const inForce = async () => (await listSilencesInForce(nines.app.db.read, nines.clock.now())).map(({ id }) => id)

describe('a silence', () => {
  test('is in force from its start on, and no more at its end', async () => {
    await create({ starts_at: at(1000), until: at(3000) })
    const seen = []
    for (const step of [0, 999, 1, 1999, 1]) {
      nines.clock.advance(step)
      seen.push([(await read()).state, await inForce()])
    }
    expect(seen).toEqual([
      ['pending', []],
      ['pending', []],
      ['active', [1]],
      ['active', [1]],
      ['expired', []],
    ])
  })

  test('is listed by its state, newest first and in pages', async () => {
    await create({ duration_seconds: 1 })
    await create({ duration_seconds: 60 })
    await create({ starts_at: at(30_000), duration_seconds: 60 })
    await create({ duration_seconds: 60 })
    nines.clock.advance(1000)
    expect(await ids()).toEqual([4, 3, 2])
    expect(await ids('?state=active')).toEqual([4, 2])
    expect(await ids('?state=pending')).toEqual([3])
    expect(await ids('?state=expired')).toEqual([1])
    expect(await ids('?state=all')).toEqual([4, 3, 2, 1])
    expect(await ids('?state=all&page=2&page_size=3')).toEqual([1])
    const page = (await nines.call('GET', `${path}?page_size=2`)).body
    expect(page).toMatchObject({ total: 3, page: 1, page_size: 2, has_next: true })
    expect((await nines.call('GET', `${path}?state=gone`)).status).toBe(400)
  })

  test('that is to begin in the past begins now', async () => {
    await create({ starts_at: at(-day), duration_seconds: 60 })
    expect(await read()).toMatchObject({ state: 'active', starts_at: at(0), until: at(60_000) })
  })

  test.each([
    [{ until: at(1) }, at(1)],
    [{ until: at(366 * day) }, at(366 * day)],
    [{ until: '2026-11-21T13:00:00.5+02:00' }, '2026-11-21T11:00:00.500Z'],
    [{ duration_seconds: 1 }, at(1000)],
    [{ duration_seconds: 366 * 86_400 }, at(366 * day)],
    [{ starts_at: at(day), until: at(day + 1) }, at(day + 1)],
    [{ starts_at: at(day), duration_seconds: 60 }, at(day + 60_000)],
  ])('of %j ends at %p', async (times, until) => {
    const { status, body } = await create(times)
    expect([status, body.data?.until]).toEqual([201, until])
  })

  const late = 'an ISO 8601 time with a zone, in the future and after starts_at'
  test.each([
    [{}, 'until: send exactly one of until and duration_seconds'],
    [{ until: at(1), duration_seconds: 1 }, 'until: send exactly one of until and duration_seconds'],
    [{ until: at(0) }, `until: must be ${late}`],
    [{ until: at(-1) }, `until: must be ${late}`],
    [{ until: at(day), starts_at: at(day) }, `until: must be ${late}`],
    [{ until: at(366 * day + 1) }, 'until: must end at most 366 days from now'],
    [{ starts_at: at(1), duration_seconds: 366 * 86_400 }, 'duration_seconds: must end at most 366 days from now'],
    [{ duration_seconds: 0 }, 'duration_seconds: must be a whole number from 1 to 31622400'],
    [{ duration_seconds: 1.5 }, 'duration_seconds: must be a whole number from 1 to 31622400'],
    [{ duration_seconds: 366 * 86_400 + 1 }, 'duration_seconds: must be a whole number from 1 to 31622400'],
    [{ until: '2026-11-22T10:00:00' }, `until: must be ${late}`],
    [{ until: '2026-11-31T10:00:00Z' }, `until: must be ${late}`],
    [{ until: 1_795_300_000_000 }, 'until: must be an ISO 8601 time with a zone'],
    [{ starts_at: 'now', duration_seconds: 1 }, 'starts_at: must be an ISO 8601 time with a zone'],
    [{ starts_at: null, duration_seconds: 1 }, 'starts_at: must be an ISO 8601 time with a zone'],
  ])('of %j is refused', async (times, details) => {
    const before = dump(nines)
    const { status, body } = await create(times)
    expect([status, rulesOf(body)]).toEqual([400, details])
    expect(dump(nines)).toEqual(before)
  })

  test.each([
    [at(60_001), 200],
    [at(30_001), 200],
    [at(30_000), 400],
    [at(366 * day + 30_000), 200],
    [at(366 * day + 30_001), 400],
  ])('of a minute gets, half a minute later, the end %p: %p', async (until, expected) => {
    await create({ duration_seconds: 60 })
    nines.clock.advance(30_000)
    expect((await change(until)).status).toBe(expected)
    expect((await read()).until).toBe(expected === 200 ? until : at(60_000))
  })

  test('that has not begun does not end before it begins', async () => {
    await create({ starts_at: at(1000), duration_seconds: 1 })
    expect((await change(at(1000))).status).toBe(400)
    expect((await change(at(1001))).status).toBe(200)
  })

  test('that has ended is not changed any more', async () => {
    await create({ duration_seconds: 60 })
    nines.clock.advance(60_000)
    const before = dump(nines)
    const { status, body } = await change(at(day))
    expect([status, body.error, rulesOf(body)]).toEqual([409, 'Silence has ended', `until: ${at(60_000)}`])
    expect((await nines.call('PUT', `${path}/1`, { comment: 'y' })).status).toBe(409)
    expect(dump(nines)).toEqual(before)
  })
})

describe('the end of a silence', () => {
  test.each([
    ['active', 0, { starts_at: at(0), until: at(5000) }],
    ['pending', day, { starts_at: at(5000), until: at(5000) }],
  ])('comes at once for an %s one, which stays in the history', async (_, begins, times) => {
    await create({ starts_at: at(begins), until: at(2 * day) })
    nines.clock.advance(5000)
    const { status, body } = await end()
    expect([status, body]).toEqual([200, { success: true, message: 'Silence ended' }])
    expect(await read()).toMatchObject({ state: 'expired', ...times })
    expect([await inForce(), await ids(), await ids('?state=expired')]).toEqual([[], [], [1]])
    const { details } = await nines.app.db.read
      .selectFrom('audit_log')
      .select('details')
      .where('event', '=', 'silence_ended')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(details)).toEqual({ silence_id: 1, slo_id: 1, until: at(5000) })
  })

  test('changes nothing once it has ended, by itself or by hand', async () => {
    await create({ duration_seconds: 60 })
    await create({ duration_seconds: 600 })
    await end(2)
    nines.clock.advance(60_000)
    const before = dump(nines)
    expect([(await end(1)).status, (await end(2)).status]).toEqual([200, 200])
    expect(dump(nines)).toEqual(before)
  })

  test('by many at a time is one', async () => {
    await create({ duration_seconds: 60 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => end()))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(await audited(nines, 'silence_ended')).toEqual(['ada@example.com success'])
  })

  test('and a change at the same time do not bring it back', async () => {
    await create({ duration_seconds: 60 })
    const [ended] = await Promise.all([end(), change(at(day)), change(at(2 * day))])
    expect([ended.status, (await read()).state, await inForce()]).toEqual([200, 'expired', []])
  })
})
