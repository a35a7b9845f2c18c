import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { minuteMs } from '../../../src/clock.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { componentsOf, readCalendar, textOf, valueOf } from '../../support/ical-reader.ts'

let nines: TestApp
const base = '/api/v1/corrections/calendar'
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', RATE_LIMIT_PER_IP: '20' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

const make = async (token?: string): Promise<string> => {
  const { status, body } = await nines.call('POST', base, undefined, token === undefined ? {} : { token })
  expect(status).toBe(201)
  return new URL(body.url).pathname
}
const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  nines.call(method, path, undefined, { token: null, headers })
const announce = (text: string, token?: string) => {
  const from = new Date(nines.clock.now() + 60 * minuteMs).toISOString()
  const to = new Date(nines.clock.now() + 90 * minuteMs).toISOString()
  const body = { labels: { tier: '1' }, from, to, category: 'planned_maintenance', text }
  return nines.call('POST', '/api/v1/corrections', body, token === undefined ? {} : { token })
}
const summaries = (text: string) => componentsOf(readCalendar(text), 'VEVENT').map((event) => textOf(event, 'SUMMARY'))
const stored = async () => nines.app.db.read.selectFrom('calendar_feeds').selectAll().execute()

test('an announced correction is read at the secret address, as iCalendar that only its reader may keep', async () => {
  await announce('Moving the database')
  const path = await make()
  expect(path).toMatch(/^\/calendar\/[0-9a-f]{32}\.ics$/)
  const { status, text, headers } = await read(path)
  expect([status, headers.get('content-type'), headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
    200,
    'text/calendar; charset=utf-8',
    'private, no-cache',
    'no-referrer',
  ])
  expect(summaries(text)).toEqual(['Planned maintenance: Moving the database'])
  const [event] = componentsOf(readCalendar(text), 'VEVENT')
  expect(event && valueOf(event, 'UID')).toBe(`correction-1@${nines.app.instanceId}`)
  expect((await read(path, {}, 'HEAD')).status).toBe(200)
})

test('a calendar that has not changed is 304 for its entity tag, until a correction is made', async () => {
  const path = await make()
  const etag = (await read(path)).headers.get('etag') ?? ''
  nines.clock.advance(minuteMs)
  const again = await read(path, { 'if-none-match': `W/${etag}` })
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  await announce('Later')
  expect((await read(path, { 'if-none-match': etag })).status).toBe(200)
})

test('the address is shown once and stored as a hash; a new one and its revocation end the one before', async () => {
  expect((await nines.call('GET', base)).body).toEqual({ created_at: null })
  const path = await make()
  expect((await nines.call('GET', base)).body).toEqual({ created_at: new Date(nines.clock.now()).toISOString() })
  const secret = path.slice('/calendar/'.length, -'.ics'.length)
  expect(JSON.stringify(await stored())).not.toContain(secret)
  const renewed = await make()
  expect([(await read(path)).status, (await read(renewed)).status]).toEqual([404, 200])
  expect((await nines.call('DELETE', base)).body).toEqual({ success: true, message: 'Calendar feed revoked' })
  expect((await read(renewed)).status).toBe(404)
  const again = await nines.call('DELETE', base)
  expect([again.status, again.body]).toEqual([404, { success: false, error: 'Calendar feed not found' }])
  const { entries } = (await nines.call('GET', '/api/v1/audit-log?object=calendar_feed')).body
  expect(JSON.stringify(entries)).not.toContain(secret)
  const audited = await nines.app.db.read
    .selectFrom('audit_log')
    .select(['event', 'details'])
    .where('event', 'like', 'calendar_feed%')
    .orderBy('id')
    .execute()
  expect(audited.map(({ event, details }) => [event, JSON.parse(details)])).toEqual([
    ['calendar_feed_created', { is_renewed: false }],
    ['calendar_feed_created', { is_renewed: true }],
    ['calendar_feed_revoked', {}],
  ])
})

test('each organization has a feed of its own corrections', async () => {
  const token = await nines.join('eve')
  await announce('of Ada')
  await announce('of Eve', token)
  const [own, others] = [await make(), await make(token)]
  expect(summaries((await read(own)).text)).toEqual(['Planned maintenance: of Ada'])
  expect(summaries((await read(others)).text)).toEqual(['Planned maintenance: of Eve'])
  await nines.call('DELETE', base, undefined, { token })
  expect((await read(own)).status).toBe(200)
})

test('at most 500 corrections are in it, the newest', async () => {
  const path = await make()
  await announce('The first')
  const { id: _id, ...row } = await nines.app.db.read.selectFrom('corrections').selectAll().executeTakeFirstOrThrow()
  for (let of = 0; of < 5; of += 1) {
    const rows = Array.from({ length: 100 }, () => ({ ...row, text: 'Later' }))
    await nines.app.db.write.insertInto('corrections').values(rows).execute()
  }
  const all = summaries((await read(path)).text)
  expect([all.length, new Set(all)]).toEqual([500, new Set(['Planned maintenance: Later'])])
})

describe('another address', () => {
  const unknown = [404, 'not found', 'text/plain; charset=utf-8', null]
  const secret = '0'.repeat(32)
  test.each([
    `${secret}.ics`,
    secret,
    `${secret}.ICS`,
    `${secret}.ics/`,
    `${secret}.ics.ics`,
    `${secret}/../${secret}.ics`,
    `${secret}%00.ics`,
    `${secret}%2eics`,
    `' or 1=1 --.ics`,
    `%ff%fe.ics`,
    `${'a'.repeat(5000)}.ics`,
    '',
    '.ics',
    '*.ics',
  ])('%j gets the same 404', async (rest) => {
    await make()
    const { status, text, headers } = await read(`/calendar/${rest}`)
    expect([status, text, headers.get('content-type'), headers.get('etag')]).toEqual(unknown)
  })

  test('that is the known one in capitals, with an account, or beside others, gets it too', async () => {
    const path = await make()
    for (const other of [path.toUpperCase().replace('/CALENDAR', '/calendar'), `${path}x`, `${path}/`]) {
      expect((await read(other)).status).toBe(404)
    }
    expect((await nines.call('GET', `/calendar/${secret}.ics`)).status).toBe(404)
    expect((await read(`${path}?nocache=1`)).status).toBe(200)
  })

  test('that is unknown too often stops its network, counted with those of heartbeats', async () => {
    const path = await make()
    expect((await read(`/calendar/${secret}.ics`)).status).toBe(404)
    for (let sent = 0; sent < 19; sent += 1) expect((await read('/ping/wrong')).status).toBe(404)
    const { status, text, headers } = await read(path)
    expect([status, text, Number(headers.get('retry-after')) > 0]).toEqual([429, 'rate limit exceeded', true])
    nines.clock.advance(minuteMs)
    expect((await read(path)).status).toBe(200)
  })
})

test('the address is in no metric and in no line of the log', async () => {
  const path = await make()
  await read(path)
  await read('/calendar/wrong.ics')
  const { text } = await nines.call('GET', '/metrics', undefined, { token: null })
  expect(text).toContain('path="/calendar/*",status="404"} 1')
  const written = [text, ...nines.logged].join('')
  expect([written.includes(path.slice(0, 30)), written.includes('wrong.ics')]).toEqual([false, false])
  expect(nines.logged.some((line) => line.includes('/calendar/*'))).toBe(true)
})
