import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { tryWriting } from '../../src/db/open.ts'
import { Database } from '../../src/db/sqlite.ts'
import { createServer } from '../../src/server.ts'
import { type Answer, type TestApp, testApp } from '../support/app.ts'
import { pathTo } from '../support/named-things.ts'
import type { Populated } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'

/** Paths of all routes with cacheable responses. */
async function keptPaths(): Promise<string[]> {
  const { app, close } = await testApp()
  const kept = createServer(app).routes.filter(({ hooks }) =>
    [hooks.beforeHandle].flat().some((hook) => (hook?.fn ?? hook)?.name === 'keep'),
  )
  await close()
  return kept.map(({ path }) => path.replace(/\/$/, ''))
}

const paths = await keptPaths()

let nines: TestApp
let ada: Populated
let mallory: Populated
const open = async () => void ({ nines, ada, mallory } = await populatedApp({ ada: 2, mallory: 5 }))
const close = () => nines.close()

const get = (path: string, token = ada.token, headers: Record<string, string> = {}) =>
  nines.call('GET', path, undefined, { token, headers })

/** Response, and the number of statements it took: none if it was cached. */
async function counted(path: string, token = ada.token): Promise<{ answer: Answer; statements: number }> {
  using execute = spyOn(nines.app.db.read.getExecutor(), 'executeQuery')
  const answer = await get(path, token)
  return { answer, statements: execute.mock.calls.length }
}

/** Response of a server, by default of a new one, which has an empty cache. */
async function fresh(path: string, server = createServer(nines.app)): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${ada.token}` }
  const response = await server.handle(new Request(`http://localhost${path}`, { headers }))
  return { status: response.status, text: await response.text() }
}

const seen = ({ status, text, headers }: Answer) => ({ status, text, headers: Object.fromEntries(headers) })
const rename = (name: string) =>
  nines.app.db.write.updateTable('users').set({ name }).where('id', '=', ada.userId).execute()

test('the routes whose answers are kept are among those that are read most', () => {
  for (const path of ['/slos', '/slos/:id', '/slos/:id/budget', '/organization/teams', '/notifications/channels'])
    expect(paths).toContain(`/api/v1${path}`)
})

test('what is kept is what a server says that has kept nothing, whatever the clock says', async () => {
  await open()
  const times = [0, 1, 999, 1, 60_000, 119_999, 1, 1, 3_600_000, 7 * 86_400_000, -3_600_000, 30 * 86_400_000]
  for (const ms of [...times, -40 * 86_400_000]) {
    nines.clock.advance(ms)
    // otherwise the clock itself would sign out
    await get('/api/v1/auth/me')
    const server = createServer(nines.app)
    for (const path of paths.map((template) => pathTo(template, ada.things))) {
      const [kept, now] = [await get(path), await fresh(path, server)]
      expect([path, kept.status, kept.text]).toEqual([path, now.status, now.text])
    }
  }
  await close()
})

describe.each(paths)('%s', (template) => {
  beforeAll(open)
  afterAll(close)
  const path = () => pathTo(template, ada.things)

  test('is read once, and answered in the same way without a statement', async () => {
    await get('/api/v1/auth/me') // the token is cached from now on
    const [first, second] = [await counted(path()), await counted(path())]
    expect(first.statements).toBeGreaterThan(0)
    expect(second.statements).toBe(0)
    expect(seen(second.answer)).toEqual(seen(first.answer))
    expect(first.answer.status).toBe(200)
  })

  test('is read again after each commit, whichever connection made it', async () => {
    await get(path())
    await rename('Ada L')
    expect((await counted(path())).statements).toBeGreaterThan(0)
    expect((await counted(path())).statements).toBe(0)
    const other = new Database(join(nines.dataDir, 'nines.db'))
    other.prepare("update users set name = 'Ada K' where id = ?").run(ada.userId)
    other.close()
    // lets the event loop run, as between two requests
    await yieldToEventLoop()
    const { answer, statements } = await counted(path())
    expect(statements).toBeGreaterThan(0)
    expect(answer.text).toBe((await fresh(path())).text)
  })

  test('is kept for nobody else', async () => {
    await get(path())
    const foreign = await get(path(), mallory.token)
    if (template.includes(':')) expect(foreign.status).toBe(404)
    else expect(foreign.text).not.toMatch(/ada/i)
    expect((await get(path(), 'x')).status).toBe(401)
    expect((await nines.call('GET', path(), undefined, { token: null })).status).toBe(401)
  })
})

describe('a kept answer', () => {
  beforeEach(open)
  afterEach(close)
  const path = () => `/api/v1/slos/${ada.things.slo}`

  test('is 304 to a client that has it, with the same headers as at first', async () => {
    const tag = (await get(path())).headers.get('etag') ?? ''
    await tryWriting(nines.app.db.write) // a commit that changes nothing
    const [first, second] = [await get(path(), ada.token, { 'if-none-match': tag }), await counted(path())]
    expect(second.statements).toBe(0)
    const third = await get(path(), ada.token, { 'if-none-match': tag })
    expect(first.status).toBe(304)
    expect(seen(third)).toEqual(seen(first))
    expect((await get(path(), ada.token, { 'if-none-match': '"another"' })).status).toBe(200)
  })

  test('is no answer to HEAD, to another method, or to a request with a body', async () => {
    const { headers } = await get(path())
    const head = await nines.call('HEAD', path(), undefined, { token: ada.token })
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', headers.get('etag')])
    expect((await get(path(), ada.token, { 'content-length': '3000000' })).status).toBe(413)
    expect((await nines.call('POST', path(), undefined, { token: ada.token })).status).toBe(405)
  })

  test('is none once the token has ended, or the user was removed', async () => {
    await get(path())
    await nines.call('POST', '/api/v1/auth/logout', undefined, { token: ada.token })
    expect((await get(path())).status).toBe(401)
  })

  test('is none once the token has expired', async () => {
    await get(path())
    nines.clock.advance(30 * 86_400_000)
    expect((await get(path())).status).toBe(401)
  })

  test('is none of another role of the same user', async () => {
    await get(path())
    await nines.app.db.write.updateTable('users').set({ role: 'viewer' }).where('id', '=', ada.userId).execute()
    nines.app.tokens.invalidate(({ userId }) => userId === ada.userId)
    expect((await counted(path())).statements).toBeGreaterThan(0)
  })

  test('is counted and logged as any other', async () => {
    await get(path())
    const before = nines.logged.length
    await get(path())
    expect(nines.logged.slice(before).join('\n')).toContain('"route":"/api/v1/slos/:id"')
    const { text } = await get('/metrics')
    expect(text).toContain('http_requests_total{method="GET",path="/api/v1/slos/:id",status="200"} 2')
  })

  test('is not what a transaction has not committed', async () => {
    await get(path())
    await nines.app.db.write.transaction().execute(async (trx) => {
      await trx.updateTable('slos').set({ name: 'Renamed' }).where('id', '=', ada.things.slo).execute()
      expect((await get(path())).body.name).toBe('ada SLO')
    })
    expect((await get(path())).body.name).toBe('Renamed')
  })
})

test('a silence is in the answer from the millisecond it begins to the one it ends, also where the clock is set back', async () => {
  await open()
  const path = `/api/v1/slos/${ada.things.slo}`
  await nines.app.db.write.deleteFrom('silences').execute()
  const now = nines.clock.now()
  const body = {
    slo_id: ada.things.slo,
    starts_at: new Date(now + 60_000).toISOString(),
    duration_seconds: 60,
    comment: 'soon',
  }
  expect((await nines.call('POST', '/api/v1/notifications/silences', body, { token: ada.token })).status).toBe(201)
  const isSilenced = async () => (await get(path)).body.silence !== null
  const found: boolean[] = []
  for (const ms of [0, 59_999, 1, 59_999, 1, -1, -60_000]) {
    nines.clock.jump(ms)
    found.push(await isSilenced())
  }
  expect(found).toEqual([false, false, true, true, false, true, false])
  await close()
})

test('limits count what is kept', async () => {
  ;({ nines, ada, mallory } = await populatedApp({ ada: 2, mallory: 5 }, { env: { RATE_LIMIT_GLOBAL: '60' } }))
  const statuses = new Set<number>()
  for (let n = 0; n < 70; n += 1) statuses.add((await get('/api/v1/slos')).status)
  expect(statuses).toEqual(new Set([200, 429]))
  await close()
})

test('a page of another origin may read what is kept', async () => {
  ;({ nines, ada, mallory } = await populatedApp(
    { ada: 2, mallory: 5 },
    { env: { CORS_ORIGINS: 'https://a.example' } },
  ))
  for (const times of [1, 2]) {
    const { headers } = await get('/api/v1/slos', ada.token, { origin: 'https://a.example' })
    expect([times, headers.get('access-control-allow-origin')]).toEqual([times, 'https://a.example'])
  }
  expect((await get('/api/v1/slos')).headers.get('access-control-allow-origin')).toBeNull()
  await close()
})
