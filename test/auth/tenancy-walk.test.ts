import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../support/app.ts'
import { goodBody } from '../support/good-bodies.ts'
import { asPrometheus, isPage, labelValuesSuffix, pathTo } from '../support/named-things.ts'
import { dump, type Populated, type Things } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { type Route, routesOfTheServer } from '../support/routes.ts'

/**
 * The kind of thing that a field of a body or query refers to, and other fields the request needs. `isLabel`: the field is only
 * stored or compared; `isList`: it is a list of references.
 */
type Reference = { thing: keyof Things; others?: object; path?: keyof Things; isLabel?: boolean; isList?: boolean }

const slo = { name: 'mine', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
const query = { slo_id: 1, query_name: 'mine', source_query: 'up', query_type: 'custom' }
const entry = { key: 'mine', query: 'up', time_window: '1h', result: 1 }
const message = { alert_type: 'manual', subject: 'a', message: 'b' }
const warnings = { channel_id: 1, alert_type: 'warning' }
const silence = { duration_seconds: 3600, comment: 'mine' }
const correction = { from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z', category: 'other', text: 'mine' }
const references: Record<string, Reference> = {
  'GET /api/v1/annotations slo_id': { thing: 'slo' },
  'GET /api/v1/audit-log user_id': { thing: 'user' },
  'GET /api/v1/cache/entries slo_id': { thing: 'slo', isLabel: true },
  'POST /api/v1/cache/entry slo_id': { thing: 'slo', isLabel: true, others: entry },
  'POST /api/v1/cache/invalidate slo_id': { thing: 'slo', isLabel: true, others: { type: 'slo' } },
  'GET /api/v1/reports schedule_id': { thing: 'reportSchedule' },
  'POST /api/v1/reports/schedules channel_ids': {
    thing: 'channel',
    isList: true,
    others: { name: 'x', interval: 'week' },
  },
  'PATCH /api/v1/reports/schedules/:id channel_ids': { thing: 'channel', isList: true, path: 'reportSchedule' },
  'POST /api/v1/corrections slo_ids': { thing: 'slo', isList: true, others: correction },
  'POST /api/v1/corrections team_id': { thing: 'team', others: correction },
  'POST /api/v1/corrections/preview slo_ids': { thing: 'slo', isList: true, others: correction },
  'POST /api/v1/corrections/preview team_id': { thing: 'team', others: correction },
  'GET /api/v1/incidents slo_id': { thing: 'slo' },
  'GET /api/v1/incidents team_id': { thing: 'team' },
  'GET /api/v1/notifications/alerts slo_id': { thing: 'slo' },
  'GET /api/v1/notifications/alerts team_id': { thing: 'team' },
  'GET /api/v1/notifications/alerts/timeline slo_id': { thing: 'slo' },
  'GET /api/v1/notifications/alerts/timeline team_id': { thing: 'team' },
  'GET /api/v1/notifications/history slo_id': { thing: 'slo' },
  'GET /api/v1/notifications/history channel_id': { thing: 'channel' },
  'GET /api/v1/notifications/rules slo_id': { thing: 'slo' },
  'GET /api/v1/notifications/rules channel_id': { thing: 'channel' },
  'POST /api/v1/notifications/rules slo_id': { thing: 'slo', others: { channel_id: 1, ...message } },
  'POST /api/v1/notifications/rules channel_id': { thing: 'channel', others: { slo_id: 1, ...message } },
  'PUT /api/v1/notifications/rules channel_id': { thing: 'channel', others: { ...warnings, slo_ids: [1] } },
  'PUT /api/v1/notifications/rules slo_ids': { thing: 'slo', isList: true, others: warnings },
  'PUT /api/v1/notifications/rules remove_slo_ids': {
    thing: 'slo',
    isList: true,
    others: { ...warnings, slo_ids: [1] },
  },
  'POST /api/v1/notifications/rules rule_id': { thing: 'rule', others: { slo_id: 1, channel_id: 1, ...message } },
  'POST /api/v1/notifications/silences slo_id': { thing: 'slo', others: silence },
  'POST /api/v1/notifications/templates/preview slo_id': { thing: 'slo', others: { alert_type: 'warning' } },
  'POST /api/v1/notifications/test channel_id': { thing: 'channel', others: { subject: 'a', message: 'b' } },
  'GET /api/v1/slos team_id': { thing: 'team' },
  'GET /api/v1/slos/recipients team_id': { thing: 'team' },
  'POST /api/v1/slos/preview source_id': { thing: 'source', others: slo },
  'POST /api/v1/slos/preview team_id': { thing: 'team', others: slo },
  'POST /api/v1/slos source_id': { thing: 'source', others: slo },
  'POST /api/v1/slos team_id': { thing: 'team', others: slo },
  'POST /api/v1/tsdb/calculate-slo slo_id': { thing: 'slo', others: { time_window: '1h' } },
  'GET /api/v1/tsdb/queries slo_id': { thing: 'slo' },
  'POST /api/v1/tsdb/queries slo_id': { thing: 'slo', others: query },
  'POST /api/v1/tsdb/queries source_id': { thing: 'source', others: query },
  'PUT /api/v1/tsdb/queries/:id source_id': { thing: 'source', path: 'sourceQuery' },
  'POST /api/v1/tsdb/query source_id': { thing: 'source', others: { query: 'up' } },
  'PUT /api/v1/slos/:id source_id': { thing: 'source', path: 'slo' },
  'PUT /api/v1/slos/:id team_id': { thing: 'team', path: 'slo' },
}

const nobodys: Things = {
  heartbeat: 999_999,
  user: 999_999,
  slo: 999_999,
  source: 999_999,
  team: 999_999,
  invitation: 999_999,
  apiToken: 999_999,
  session: 999_999,
  oauthClient: 'nobodys',
  sourceQuery: 999_999,
  cacheKey: 'nobodys',
  channel: 999_999,
  alert: 999_999,
  silence: 999_999,
  annotation: 999_999,
  report: 999_999,
  reportSchedule: 999_999,
  correction: 999_999,
  rule: 999_999,
  notification: 999_999,
  target: 999_999,
  probe: 999_999,
  incident: 999_999,
  openIncident: 999_999,
}

const routes = await routesOfTheServer()
const withParameter = routes.filter(({ path }) => path.replace(labelValuesSuffix, '').includes(':') && !isPage(path))
const withReference = routes.flatMap((route) =>
  Object.keys({ ...route.body, ...route.query })
    .filter((field) => /_ids?$/.test(field))
    .map((field) => [`${route.name} ${field}`, route, field] as const),
)

let nines: TestApp
let ada: Populated
let mallory: Populated
const open = async () => void ({ nines, ada, mallory } = await populatedApp({ ada: 2, mallory: 5 }))
const close = () => nines.close()

/** Stores what earlier requests left to be written later: uses of cache entries, and executions. */
const flushLater = () => Promise.all([nines.app.cache.flush(), nines.app.executions.flush()])

const isRead = ({ method }: Route) => method === 'GET'
describe.each([
  ['read', beforeAll, afterAll, withParameter.filter(isRead)],
  ['written', beforeEach, afterEach, withParameter.filter((route) => !isRead(route))],
] as const)(
  'what belongs to another organization is as what does not exist when %s by',
  (_kind, before, after, some) => {
    before(open)
    after(close)
    test.each(some.map((route) => [route.name, route] as const))('%s', async (_, route) => {
      const { method, path } = route
      const body = goodBody(route, ada)
      const call = (things: Things, how = method) => nines.call(how, pathTo(path, things), body, { token: ada.token })
      await flushLater()
      const before = dump(nines)
      const [missing, foreign] = [await call(nobodys), await call(mallory.things)]
      expect(foreign.status).toBe(404)
      const isAsked = asPrometheus.test(path)
      expect(foreign.body).toEqual({
        success: false,
        error: expect.stringMatching(/ not found$/),
        ...(isAsked && { status: 'error', errorType: 'not_found' }),
      })
      expect([foreign.text, [...foreign.headers]]).toEqual([missing.text, [...missing.headers]])
      if (method === 'GET') expect((await call(mallory.things, 'HEAD')).status).toBe(404)
      expect(dump(nines)).toEqual(before)
      const own = await call(ada.things)
      if (isAsked || path.endsWith('/suggestions'))
        expect([200, 400, 503]).toContain(own.status) // its source does not answer, and there is no query
      else expect(own.status).toBe(200)
    })
  },
)

describe('naming what belongs to another organization is as naming what does not exist in', () => {
  beforeAll(open)
  afterAll(close)
  test.each(withReference)('%s', async (name, { method, path, body }, field) => {
    const reference = references[name]
    if (!reference) throw new Error(`${name} is new to this test: add what it names to "references"`)
    const own = reference.path === undefined ? '' : String(ada.things[reference.path])
    const target = path.replace(/:\w+/, own)
    const inBody = body !== undefined && field in body
    const call = (things: Things) => {
      const value = things[reference.thing]
      return inBody
        ? nines.call(
            method,
            target,
            { ...reference.others, [field]: reference.isList ? [value] : value },
            { token: ada.token },
          )
        : nines.call(method, `${target}?${field}=${value}`, undefined, { token: ada.token })
    }
    await flushLater()
    const before = dump(nines)
    const [missing, foreign] = [await call(nobodys), await call(mallory.things)]
    /** The answer without the value that was sent, which it repeats. */
    const unsent = ({ text }: Answer, things: Things) =>
      text.replaceAll(new RegExp(`(got"?:? ?"?)${things[reference.thing]}\\b`, 'g'), '$1…')
    expect([foreign.status, unsent(foreign, mallory.things)]).toEqual([missing.status, unsent(missing, nobodys)])
    if (reference.isLabel) {
      expect(foreign.text).not.toMatch(/mallory/i)
      await nines.app.cache.remove(ada.organizationId, { type: 'all' }) // what the requests have stored
      return
    }
    if (inBody || foreign.status === 404) expect([400, 404]).toContain(foreign.status)
    else expect(foreign.body).toMatchObject({ total: 0 })
    expect(dump(nines)).toEqual(before)
  })
})

describe('lists', () => {
  beforeAll(open)
  afterAll(close)
  const others = new Set([
    '/api/v1/cache/entry',
    '/api/v1/ws/subscribe',
    '/api/v1/organization/system/organizations', // the names of all, for administrators of the first: test/status/organization-use
    ...['query', 'query_range', 'series'].map((asked) => `/api/v1/embedded/prometheus/api/v1/${asked}`), // only with a query
  ])
  const lists = routes.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/api/v1/') && !path.includes(':') && !others.has(path),
  )
  test.each(lists.map(({ path }) => path))('%s shows nothing of another organization', async (path) => {
    const { status, text } = await nines.call('GET', path, undefined, { token: ada.token })
    expect(status === 200 || path === '/api/v1/tsdb/health').toBe(true) // its sources do not answer
    expect(text).not.toMatch(/mallory/i)
  })
})

test('the walk has seen every kind of thing', () => {
  expect(new Set(withParameter.map(({ path }) => path)).size).toBeGreaterThan(6)
  expect(withReference.map(([name]): string => name).toSorted()).toEqual(Object.keys(references).toSorted())
})
