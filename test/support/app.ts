import { rmSync } from 'node:fs'
import { type App, openApp, type Overrides } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { registerAccount } from '../../src/auth/accounts/routes.ts'
import { openSession } from '../../src/auth/sessions/sessions.ts'
import { createServer } from '../../src/server.ts'
import { copyOfTemplate } from './template-data-dir.ts'
import { cacheValidators } from './cached-validators.ts'

export { newDataDir } from './template-data-dir.ts'

/** 2026-11-21T10:00:00Z. No test depends on this date. */
export const testStartMs = 1_795_255_200_000

// oxlint-disable-next-line typescript/no-explicit-any -- an answer is assessed by what a test expects of it
export type Answer = { status: number; body: any; headers: Headers; text: string }

export type TestApp = {
  app: App
  /** `advance`: time passes; a negative value sets the clock back. `jump`: the clock is set without time passing. */
  clock: { now(): number; advance(ms: number): void; jump(ms: number): void }
  logged: string[]
  dataDir: string
  /** Sends one request through the HTTP server. `token`: null sends none, absent uses the first account's. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** Registers an account in a new organization, without a request, and returns its access token. */
  join(name: string): Promise<string>
  /** The access token that `call` sends, that of the first account; null: there is none. */
  token(): string | null
  /** Opens a socket on 127.0.0.1 and returns its base URL, for tests that need a real connection. `port` 0: any free port. */
  listen(port?: number): string
  /** Closes the socket and all its connections; `listen` opens it again. */
  unlisten(): Promise<void>
  close(): Promise<void>
}

type CallOptions = { token?: string | null; headers?: Record<string, string> }
/** `token`: what `call` sends from the start, of an account in `dataDir`. */
export type Options = Overrides & {
  env?: Record<string, string>
  dataDir?: string
  startMs?: number
  token?: string | null
}

/** Limits off, registration open: a test sends more requests than a person. Tests of limits set their own. */
const quiet = {
  SOURCE_URL: '',
  RATE_LIMIT_PER_IP: '0',
  INGEST_RATE_LIMIT: '0',
  RATE_LIMIT_GLOBAL: '0',
  QUERY_CPU_SECONDS_PER_MINUTE: '100000', // a stopped clock never refills the allowance
  REGISTRATION: 'open',
  OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
}

/** Body of a request that registers an account in a new organization. */
export const registration = (name: string) => ({
  email: `${name}@example.com`,
  name,
  password: 'correct horse',
  organization_name: `${name} Inc`,
})

/** Argon2id's minimum cost: no test depends on how long guessing takes. */
const cheapest = { memoryCost: 8, timeCost: 1 }

cacheValidators()

const collectGarbage = Bun.gc
Bun.gc = (force) => (force ? collectGarbage(force) : 0) // Elysia asks for it with each server that it composes: 8 ms a test

/** Starts a whole nines in a new folder, with a stopped clock and no socket. */
export async function testApp({
  env = {},
  dataDir: givenDataDir,
  startMs = testStartMs,
  token: givenToken = null,
  ...overrides
}: Options = {}): Promise<TestApp> {
  const dataDir = givenDataDir ?? (await copyOfTemplate())
  let nowMs = startMs
  let passedMs = 0
  const jump = (ms: number) => void (nowMs += ms)
  const advance = (ms: number) => {
    jump(ms)
    passedMs += Math.max(0, ms)
  }
  const clock = { now: () => nowMs, advance, jump }
  const logged: string[] = []
  const log = createLog({ level: 'debug', format: 'json', now: clock.now, write: (line) => void logged.push(line) })
  const config = readConfig({ DATA_DIR: dataDir, SOURCE_TIMEOUT: '60', ...quiet, ...env })
  const app = openApp(config, {
    clock,
    ...(!overrides.clock && { stopwatch: { now: () => passedMs } }),
    bootClock: { id: () => crypto.randomUUID(), uptimeMs: () => 0 }, // as if each instance had its own machine
    log,
    passwordCost: cheapest,
    ...overrides,
  })
  let made: ReturnType<typeof createServer> | undefined
  /** Made when it is first called: routes take longer than all the rest, and many tests ask the app itself. */
  const server = () => (made ??= createServer(app))
  let own = givenToken

  const call: TestApp['call'] = async (method, path, body, { token = own, headers = {} } = {}) => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    })
    const response = await server().handle(request)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }

  const join: TestApp['join'] = async (name) => {
    const user = await registerAccount(app, registration(name), { ip: '127.0.0.1', userAgent: 'test', isLocal: true })
    const { access_token: token } = await openSession(app, user)
    own ??= token
    return token
  }

  return {
    app,
    clock,
    logged,
    dataDir,
    call,
    join,
    token: () => own,
    listen(port = 0) {
      server().listen({ hostname: '127.0.0.1', port })
      return `http://127.0.0.1:${server().server?.port}`
    },
    async unlisten() {
      await made?.server?.stop(true)
    },
    async close() {
      await made?.server?.stop(true)
      made = undefined // a test file holds its last appliance until all tests of the process have run
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
