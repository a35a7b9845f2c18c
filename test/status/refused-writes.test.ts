import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { sql } from 'kysely'
import type { TestApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import { goodBody } from '../support/good-bodies.ts'
import { pathTo } from '../support/named-things.ts'
import type { Populated } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { type Route, routesOfTheServer } from '../support/routes.ts'

const routes = (await routesOfTheServer()).filter(({ path }) => !path.endsWith('/ws'))
const reads = routes.filter(({ method, path }) => method === 'GET' && path !== '/ready')
const others = routes.filter(({ method }) => method !== 'GET')

const source = fakeSource(() => 0.99)
let nines: TestApp
let ada: Populated
beforeEach(async () => {
  ;({ nines, ada } = await populatedApp({ ada: 2 }, { env: { SOURCE_URL: source.url } }))
})
afterAll(source.close)
afterEach(async () => {
  await closeAll()
  await setWritable(true)
  await nines.close()
})

const setWritable = (isWritable: boolean) =>
  sql`pragma query_only = ${sql.lit(isWritable ? 0 : 1)}`.execute(nines.app.db.write)

function moveAway() {
  const [from, aside] = [nines.dataDir, `${nines.dataDir}.aside`]
  renameSync(from, aside)
  closeLater(() => renameSync(aside, from))
}

const send = (route: Route) => {
  const body = route.method === 'GET' ? undefined : goodBody(route, ada)
  return nines.call(route.method, pathTo(route.path, ada.things), body, { token: ada.token })
}

test('each route that reads answers as before while every write is refused', async () => {
  const statuses = async () => {
    nines.clock.advance(60_000) // so that cached answers do not apply
    const all: string[] = []
    for (const route of reads) all.push(`${(await send(route)).status} ${route.name}`)
    return all
  }
  const before = await statuses()
  await setWritable(false)
  expect(await statuses()).toEqual(before)
}, 60_000)

test.each([
  ['every write is refused', 'data folder cannot be written', () => setWritable(false)],
  ['the data folder is elsewhere', 'nines.db was moved, removed or replaced', moveAway],
])(
  'each route that writes answers 503 and why while %s, never 500',
  async (_, why, refuse) => {
    await refuse()
    const answers: string[] = []
    for (const route of others) {
      const { status, body } = await send(route)
      answers.push(`${status} ${body?.error ?? ''} ${route.name}`)
    }
    expect(answers.filter((answer) => answer.includes('Internal error'))).toEqual([])
    expect(answers.filter((answer) => answer.startsWith(`503 ${why}`)).length).toBeGreaterThan(30)
    expect(nines.logged.join('')).not.toContain('request failed')
  },
  60_000,
)
