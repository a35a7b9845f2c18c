import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../support/app.ts'
import { goodBody } from '../support/good-bodies.ts'
import { pathTo } from '../support/named-things.ts'
import { dump, type Populated } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { type Route, routesOfTheServer } from '../support/routes.ts'

/** Columns and claims that no body may set. Fields that a route accepts are left out for it. */
const forbidden = {
  id: 777,
  organization_id: 2,
  user_id: 3,
  created_by: 3,
  invited_by: 3,
  role: 'admin',
  is_admin: true,
  scopes: 'admin',
  sid: 1,
  sub: '3',
  email: 'owned@example.com',
  email_key: 'owned@example.com',
  email_confirmed: false,
  email_confirmed_at: 1,
  password_hash: '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA',
  secret_hash: '0'.repeat(64),
  hash: '0'.repeat(64),
  sealed_auth: 'x',
  sealed_configuration: 'x',
  inferred_unit: 'percent',
  active: false,
  is_active: false,
  is_default: false,
  created_at: 0,
  updated_at: '1970-01-01T00:00:00Z',
  expires_at: '2199-01-01T00:00:00Z',
  accepted_at: 1,
  last_used_at: 1,
  used_at: 1,
}

/** As text, because an object literal would not keep `__proto__` as a key. */
const polluting = [
  `"__proto__":${JSON.stringify(forbidden)}`,
  `"constructor":{"prototype":${JSON.stringify(forbidden)}}`,
  '"__proto__":null',
  '"prototype":{"role":"admin"},"toString":1,"hasOwnProperty":1,"valueOf":null,"toJSON":"x"',
]

const routes = (await routesOfTheServer()).filter(({ body }) => body !== undefined)
const cases = routes.map((route) => [route.name, route] as const)

let nines: TestApp
let twin: TestApp
let ada: Populated
const open = async () => {
  const organizations = { ada: 2, mallory: 5 }
  ;({ nines, ada } = await populatedApp(organizations))
  ;({ nines: twin } = await populatedApp(organizations))
}
const close = async () => {
  await nines.close()
  await twin.close()
}
beforeAll(open)
afterAll(close)

/** Sends one request of the first organization and returns everything it changed. */
async function outcome(app: TestApp, route: Route, bodyOf: (own: Populated) => unknown) {
  const answer = await app.call(route.method, pathTo(route.path, ada.things), bodyOf(ada), { token: ada.token })
  await app.app.reports.run() // makes what is queued in both or in neither
  await app.app.delivery.run()
  return plain({ status: answer.status, body: answer.body, rows: dump(app) }, answer)
}

/** Replaces random and measured values. */
function plain(seen: object, { body }: Answer): string {
  const text = JSON.stringify(seen, null, 1)
    .replace(/[\w-]+\.[\w-]{20,}\.[\w-]{43}/g, '<jwt>')
    .replace(/\$argon2id\$[^"]+/g, '<password>')
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '<uuid>')
    .replace(/(?<![\w-])(?:nines_)?[\w-]{43}(?![\w-])/g, '<token>')
    .replace(/\b[A-Z2-7]{32}\b/g, '<secret>')
    .replace(/\b[\da-f]{64}\b/g, '<hash>')
    .replace(/("(?:sealed_\w+|instance_id|seal_key_id)": )"[^"]+"/g, '$1<sealed>')
    .replace(/"duration_ms": [\d.]+/g, '"duration_ms": <some>')
    .replace(/"value": "\d+\.\d{2,}"/g, '"value": <seconds>') // phases of a probe
  // rows of tables keyed by a hash have no order
  return body === undefined ? text : text.split('\n').toSorted().join('\n')
}

/** Change nothing in this test: they need a token from a mail, a code of an app or a source that answers. */
const refused =
  /password-reset.confirm$|confirm-email$|demo-login$|proxy-login$|login\/mfa$|second-factor\/|slos\/preview$|tsdb\/(?:query|calculate-slo)$/

describe('fields that are not a body’s own, and keys that would reach a prototype, change nothing in', () => {
  test.each(cases)('%s', async (name, route) => {
    if (name.includes('/auth/')) await close().then(open) // may end the session or change the password
    const own = new Set(Object.keys(route.body ?? {}))
    const extra = Object.fromEntries(Object.entries(forbidden).filter(([field]) => !own.has(field)))
    const attacked = await outcome(nines, route, (ada) => {
      const text = JSON.stringify({ ...extra, ...goodBody(route, ada) })
      return `{${polluting.join(',')},${text.slice(1)}`
    })
    expect(/ "status": 20[01]/.test(attacked)).toBe(!refused.test(name))
    expect(attacked).toBe(await outcome(twin, route, (ada) => goodBody(route, ada)))
    expect(Object.keys(forbidden).filter((key) => key in {})).toEqual([])
  })
})

test('bodies of such keys alone are as empty ones', async () => {
  const { token } = ada
  for (const [, { method, path, name }] of cases.filter(([name]) => name.startsWith('PUT '))) {
    const before = dump(nines)
    for (const attack of polluting) {
      const { status, body } = await nines.call(method, path.replace(/:\w+/, '1'), `{${attack}}`, { token })
      expect([name, status, body.success]).toEqual([name, 400, false])
    }
    expect(dump(nines)).toEqual(before)
  }
})
