import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { pagePaths } from '../../src/web/page-routes.ts'
import { routesOfTheServer } from '../support/routes.ts'

/** Public endpoints; all others require a token. */
const open = new Set([
  'GET /health',
  'GET /ready',
  'GET /metrics',
  'GET /api/v1/health',
  'GET /api/v1/status/public',
  'POST /api/v1/auth/register',
  'POST /api/v1/auth/login',
  'POST /api/v1/auth/login/mfa',
  'POST /api/v1/auth/demo-login',
  'POST /api/v1/auth/proxy-login',
  'POST /api/v1/auth/refresh',
  'GET /auth/oidc/start',
  'GET /auth/oidc/callback',
  'POST /api/v1/auth/confirm-email',
  'POST /api/v1/auth/confirm-email/resend',
  'POST /api/v1/auth/password-reset-request',
  'POST /api/v1/auth/password-reset-confirm',
  'POST /api/v1/auth/password-reset/request',
  'POST /api/v1/auth/password-reset/confirm',
  'GET /.well-known/oauth-authorization-server',
  'GET /oauth/consent.css',
  'GET /oauth/authorize',
  'POST /oauth/authorize',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'POST /oauth/introspect',
  'GET /notifications/confirm',
  'POST /notifications/confirm',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/page.css',
  'GET /docs/start.js',
  'GET /docs/swagger-ui.css',
  'GET /docs/swagger-ui.js',
  'GET /swagger',
  'GET /assets/:name',
  ...['GET', 'POST'].map((method) => `${method} /ping/*`), // their addresses are secrets
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /api/push/*`),
  'GET /calendar/*',
  ...pagePaths.map((path) => `GET ${path}`),
])

let nines: TestApp
beforeAll(async () => {
  nines = await testApp()
})
afterAll(() => nines.close())

const routes: string[] = (await routesOfTheServer()).map(({ name }) => name)
const guarded = routes.filter((route) => !open.has(route))
const reads = guarded.filter((route) => route.startsWith('GET ')).map((route) => route.replace('GET', 'HEAD'))
const notSignedIn = { success: false, error: 'Not signed in' }

describe('without a token', () => {
  test.each([...guarded, ...reads])('%s is refused before anything of the request is looked at', async (route) => {
    const [method = '', template = ''] = route.split(' ')
    const path = template.replace(/:\w+/g, 'not-an-id')
    const isRead = method === 'GET' || method === 'HEAD'
    const type = { 'content-type': 'text/plain' }
    for (const authorization of [
      undefined,
      'Bearer not-a-token',
      'Bearer a.b.c',
      'Bearer nines_x',
      'Basic YTpi',
      '\u00ff',
    ]) {
      const headers = { ...(isRead ? {} : type), ...(authorization === undefined ? {} : { authorization }) }
      const body = isRead ? undefined : '{broken'
      const answer = await nines.call(method, `${path}?page=x`, body, { token: null, headers })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      if (method !== 'HEAD') expect(answer.body).toMatchObject(notSignedIn)
    }
  })

  test.each(routes.filter((route) => open.has(route)))('%s is open', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const answer = await nines.call(method, path, method === 'GET' ? undefined : {}, { token: null })
    expect(answer.body?.error).not.toBe(notSignedIn.error)
  })
})

test('the walk has seen routes of every kind', () => {
  expect(routes).toContain('GET /health')
  expect(guarded).toEqual(
    expect.arrayContaining([
      'GET /api/v1/ws/subscribe',
      'GET /api/v1/slos/:id',
      'PUT /api/v1/slos/:id',
      'POST /api/v1/tsdb/query',
    ]),
  )
  expect(routes.every((route) => /^(GET|POST|PUT|PATCH|DELETE) \/[\w/:.*-]*$/.test(route))).toBe(true)
})
