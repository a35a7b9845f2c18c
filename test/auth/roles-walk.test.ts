import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Role, roles } from '../../src/role.ts'
import { type TokenScope, tokenScopes } from '../../src/origin.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { openDump } from '../support/populated.ts'
import { type Route, routesOfTheServer } from '../support/routes.ts'

/** Requests open to viewers: about themselves, or queries that change nothing. */
const ofViewers = new Set([
  'POST /api/v1/auth/change-password',
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/second-factor',
  'POST /api/v1/auth/second-factor/confirm',
  'POST /api/v1/auth/second-factor/recovery-codes',
  'POST /api/v1/auth/second-factor/disable',
  'PUT /api/v1/auth/me', // their own zone and clock
  'PUT /api/v1/auth/me/email',
  'DELETE /api/v1/auth/me/email',
  'DELETE /api/v1/auth/applications/:id', // their own consent
  'DELETE /api/v1/auth/sessions/:id', // their own
  'POST /api/v1/auth/sessions/end-others',
  'POST /api/v1/auth/tokens', // with the viewer role only
  'DELETE /api/v1/auth/tokens/:id', // their own
  'DELETE /api/v1/organization/users/:id', // themselves
  'POST /api/v1/notifications/templates/preview',
  'POST /api/v1/slos/preview',
  'POST /api/v1/slos/picks',
  'POST /api/v1/tsdb/calculate-slo',
  'POST /api/v1/tsdb/query',
  ...['query', 'query_range', 'series', 'labels'].flatMap((asked) => [
    `POST /api/v1/embedded/prometheus/api/v1/${asked}`,
    `POST /embedded/prometheus/api/v1/${asked}`,
    `POST /api/v1/tsdb/sources/:id/prometheus/api/v1/${asked}`,
  ]),
])
const ofMembers = new Set([
  'POST /api/v1/corrections',
  'POST /api/v1/corrections/preview',
  'PATCH /api/v1/corrections/:id',
  'DELETE /api/v1/corrections/:id',
  'POST /api/v1/slos/:id/periods/:start/recompute',
  'POST /api/v1/annotations',
  'PATCH /api/v1/annotations/:id',
  'DELETE /api/v1/annotations/:id',
  'POST /api/v1/reports',
  'DELETE /api/v1/reports/:id',
  'POST /api/v1/reports/schedules',
  'PATCH /api/v1/reports/schedules/:id',
  'DELETE /api/v1/reports/schedules/:id',
  'POST /api/v1/cache/entry',
  'DELETE /api/v1/cache/entry', // without a key
  'DELETE /api/v1/cache/entry/:key',
  'POST /api/v1/cache/invalidate',
  'POST /api/v1/cache/warmup',
  'PUT /api/v1/incidents/:id/account',
  'DELETE /api/v1/incidents/:id/account',
  'POST /api/v1/incidents/:id/acknowledge',
  'DELETE /api/v1/incidents/:id/acknowledge',
  'POST /api/v1/incidents/:id/close',
  'POST /api/v1/incidents/:id/note',
  'POST /api/v1/notifications/:id/resend',
  'POST /api/v1/notifications/retry-failed',
  'POST /api/v1/notifications/rules',
  'PUT /api/v1/notifications/rules',
  'PUT /api/v1/notifications/rules/settings',
  'PUT /api/v1/notifications/rules/:id',
  'DELETE /api/v1/notifications/rules/:id',
  'POST /api/v1/notifications/alerts/:id/acknowledge',
  'DELETE /api/v1/notifications/alerts/:id/acknowledge',
  'POST /api/v1/notifications/silences',
  'POST /api/v1/notifications/test',
  'PUT /api/v1/notifications/silences/:id',
  'DELETE /api/v1/notifications/silences/:id',
  'POST /api/v1/slos',
  'POST /api/v1/slos/bulk',
  'PUT /api/v1/slos/:id',
  'PUT /api/v1/slos/:id/alerting',
  'DELETE /api/v1/slos/:id',
  'POST /api/v1/slos/:id/backfill',
  'DELETE /api/v1/slos/:id/backfill',
  'POST /api/v1/tsdb/queries',
  'PUT /api/v1/tsdb/queries/:id',
  'DELETE /api/v1/tsdb/queries/:id',
])

/** Require a session: an API token of an administrator must not create tokens or admit users. */
const bySession =
  /^(?:POST|PUT|DELETE) \/api\/v1\/(?:auth\/(?:applications.*|change-password|logout|me.*|second-factor.*|sessions.*|tokens.*)|corrections\/calendar|oauth\/clients.*|organization(?:\/(?:users|invitations).*)?)$/

/** All other requests except GET require an administrator, and so do these GETs. */
const readByAdmins =
  /^GET \/api\/v1\/(?:audit-log|backups|organization\/(?:invitations|quotas|sign-in|system)|oauth\/clients)(?:\/|$)/

/** No role required: public, or authorized by the address or the credentials of an OAuth client. */
const open =
  /^\w+ \/(?:health|ready|metrics|openapi\.json|docs.*|swagger|api\/v1\/(?:health|status\/public)|api\/v1\/auth\/(?:register|login|login\/mfa|demo-login|proxy-login|refresh|password-reset.*|confirm-email.*)|oauth\/.*|auth\/oidc\/.*|notifications\/confirm|ping\/.*|api\/push\/.*|calendar\/.*|register|reset-password|confirm-email|slos\/:id||\.well-known\/.*)$/

const routes = (await routesOfTheServer()).filter(({ name }) => !open.test(name))
const cases = routes.map((route) => [route.name, minRole(route), route] as const)

let nines: TestApp
let stored: ReturnType<typeof openDump>
const tokens = new Map<Role, string>()
beforeAll(async () => {
  nines = await testApp()
  for (const role of roles) {
    tokens.set(role, await nines.join(role))
    await nines.app.db.write.updateTable('users').set({ role }).where('name', '=', role).execute()
  }
  stored = openDump(nines)
})
afterAll(async () => {
  stored.close()
  await nines.close()
})

function minRole({ name, method }: Route): Role {
  if (ofViewers.has(name)) return 'viewer'
  if (ofMembers.has(name)) return 'member'
  return method === 'GET' && !readByAdmins.test(name) ? 'viewer' : 'admin'
}

const needsSession =
  'must be sent with the access token of a session: sign in; an API token or an application cannot do this'
let machine: string | undefined
const scoped = new Map<TokenScope, string>()

/** Requests that a token with a scope may send; it may send no others. */
const writes = [
  '/api/v1/write',
  '/embedded/prometheus/api/v1/write',
  '/api/v1/embedded/prometheus/api/v1/write',
  '/v1/metrics',
  '/api/v1/otlp/v1/metrics',
  '/embedded/prometheus/api/v1/otlp/v1/metrics',
  '/api/v1/embedded/prometheus/api/v1/otlp/v1/metrics',
]
const ofScope: Record<TokenScope, ReadonlySet<string>> = {
  ingest: new Set(writes.map((path) => `POST ${path}`)),
  annotate: new Set(['POST /api/v1/annotations']),
}

async function makeMachine(scope: TokenScope | null = null): Promise<string> {
  const wanted = { name: 'machine', role: 'admin', scope }
  const { body } = await nines.call('POST', '/api/v1/auth/tokens', wanted, { token: tokens.get('admin') ?? null })
  return body.token
}

/** A request that fails at the latest when its body or query is parsed, so that it changes nothing. */
const attempt = ({ method, path }: Route, token: string | undefined) => {
  const target = `${path.replace(/:\w+/g, 'no-id')}?page=x`
  const broken = method === 'GET' ? undefined : '{broken'
  const headers = { 'content-type': 'text/plain' }
  return nines.call(method, target, broken, { token: token ?? null, ...(broken && { headers }) })
}

/** Everything stored, after a flush of the cache. For a GET without the cache tables, which it may change. */
async function storedBut({ method }: Route) {
  await nines.app.cache.flush()
  const { api_tokens: apiTokens = [], ...others } = stored.rows()
  const rows = { ...others, api_tokens: apiTokens.map((row) => ({ ...(row as object), last_used_at: null })) } // recorded after the response
  return Object.entries(rows).filter(([table]) => method !== 'GET' || !table.startsWith('cache_'))
}

describe('a lower role is refused, before anything else of the request is read:', () => {
  test.each(cases)('%s requires a %s', async (_, min, route) => {
    const before = await storedBut(route)
    for (const role of roles) {
      const { status, body } = await attempt(route, tokens.get(role))
      if (roles.indexOf(role) >= roles.indexOf(min)) expect(status).not.toBe(403)
      else expect([status, body?.error]).toEqual([403, 'Insufficient permissions'])
    }
    expect(await storedBut(route)).toEqual(before)
  })
})

test('the walk knows no route that does not exist', () => {
  const seen = new Set(routes.map(({ name }) => name))
  expect(
    [...ofViewers, ...ofMembers, ...ofScope.ingest, ...ofScope.annotate].filter((name) => !seen.has(name)),
  ).toEqual([])
  expect(cases.filter(([, min]) => min === 'admin').length).toBeGreaterThan(5)
})

describe('an API token of an administrator', () => {
  test.each(cases)('%s: is refused exactly where people and credentials are changed', async (name, _, route) => {
    machine ??= await makeMachine()
    const before = await storedBut(route)
    const { status, body } = await attempt(route, machine)
    if (!bySession.test(name)) return expect(status).not.toBe(403)
    expect([status, body]).toEqual([403, { success: false, error: 'Insufficient permissions', details: needsSession }])
    expect(await storedBut(route)).toEqual(before)
  })
})

describe.each(tokenScopes)('an API token of an administrator with the scope %s', (scope) => {
  test.each(cases)('%s: is refused unless it is of the scope', async (name, _, route) => {
    const token = scoped.get(scope) ?? (await makeMachine(scope))
    scoped.set(scope, token)
    if ((await attempt(route, undefined)).status !== 401) return // pages, which are public
    const before = await storedBut(route)
    const { status, body } = await attempt(route, token)
    if (ofScope[scope].has(name)) return expect(status).not.toBe(403)
    expect([status, body?.error]).toEqual([403, 'Insufficient permissions'])
    expect(await storedBut(route)).toEqual(before)
  })
})
