import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { errorHandler } from '../../../src/http/errors.ts'
import { limits } from '../../../src/http/connections/limits.ts'
import { createOriginReader } from '../../../src/http/headers/origin.ts'
import { createRouteTable } from '../../../src/http/openapi/routes-table.ts'
import { createBodyBudget } from '../../../src/http/bodies/body-budget.ts'
import { signedIn } from '../../../src/http/signed-in.ts'
import { createServer } from '../../../src/server.ts'
import { isDocument } from '../../../src/web/page-routes.ts'

/**
 * Serves a route three times: bare, behind the guard, and behind the guard and the rate limits. Each returns the same JSON from
 * memory. Prints their addresses and a token as JSON.
 */
const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
process.once('SIGTERM', () => process.exit(0))

const max = '1000000000'
const config = readConfig({ DATA_DIR: dataDir, RATE_LIMIT_PER_IP: max, RATE_LIMIT_GLOBAL: max, LOG_LEVEL: 'error' })
const app = openApp(config)
const { token, body } = await signUp()

const errors = errorHandler({ log: app.log, routes: createRouteTable(() => []) })
const originOf = createOriginReader(config)
const guard = () =>
  signedIn({
    tokens: app.tokens,
    originOf,
    body: { limitBytes: config.bodyLimitBytes },
    bodyBudget: createBodyBudget(config.bodyLimitBytes * 4),
    checkRequest: () => {},
    writes: 'viewer',
  })

const urls = {
  bare: addressOf(new Elysia().get('/', () => body)),
  guarded: addressOf(
    new Elysia()
      .use(errors)
      .use(guard())
      .get('/', () => body),
  ),
  limited: addressOf(
    new Elysia()
      .use(limits({ ...app, originOf, isDocument }))
      .use(errors)
      .use(guard())
      .get('/', () => body),
  ),
}
process.stdout.write(`${JSON.stringify({ ...urls, token })}\n`)

/** Registers an account; returns its token and the response of `GET /auth/me`. */
async function signUp(): Promise<{ token: string; body: Record<string, unknown> }> {
  const server = createServer(app)
  const ask = async (path: string, init: RequestInit) => {
    const response = await server.handle(new Request(`http://nines/api/v1/auth/${path}`, init))
    return (await response.json()) as Record<string, unknown>
  }
  const account = { email: 'bench@example.com', name: 'Bench', password: 'correct horse battery' }
  const headers = { 'content-type': 'application/json' }
  const registered = await ask('register', { method: 'POST', headers, body: JSON.stringify(account) })
  const given = String(registered['access_token'])
  return { token: given, body: await ask('me', { headers: { authorization: `Bearer ${given}` } }) }
}

type Listening = { server: { port?: number | undefined } | null }

function addressOf(server: { listen(options: { hostname: string; port: number }): Listening }): string {
  return `http://127.0.0.1:${server.listen({ hostname: '127.0.0.1', port: 0 }).server?.port}/`
}
