import { afterAll, beforeAll, beforeEach, expect, describe, test } from 'bun:test'
import type { Answer, TestApp } from '../support/app.ts'
import { fakeSource } from '../support/fake-source.ts'
import { goodBody } from '../support/good-bodies.ts'
import { goodConfigurations } from '../support/good-configurations.ts'
import { fieldPaths, withValue } from '../support/hostile.ts'
import { isPage, pathTo } from '../support/named-things.ts'
import type { Populated } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { type Route, routesOfTheServer } from '../support/routes.ts'

type Problem = { field: string; message: string; got?: string }

/** Routes whose errors have another form: OAuth2, pages, pings. */
const hasOwnErrors = (path: string) =>
  path.startsWith('/oauth/') ||
  path === '/notifications/confirm' ||
  /^\/(?:ping|api\/push)\//.test(path) ||
  isPage(path)
const routes = (await routesOfTheServer()).filter(({ path }) => !hasOwnErrors(path))
const named = (chosen: Route[]) => chosen.map((route) => [route.name, route] as const)

const source = fakeSource(() => 0.99)
let nines: TestApp
let ada: Populated
const open = async () => void ({ nines, ada } = await populatedApp({ ada: 2 }, { env: { SOURCE_URL: source.url } }))
beforeAll(open)
beforeEach(async () => {
  if ((await nines.call('GET', '/api/v1/organization', undefined, { token: ada.token })).status === 200) return
  await nines.close() // the requests before have ended the session, or require a second factor
  await open()
})
afterAll(async () => {
  await nines.close()
  await source.close()
})

async function send(method: string, path: string, body?: object) {
  if (path.includes('auth')) await nines.app.db.write.deleteFrom('login_attempts').execute() // removes the delay
  return nines.call(method, path, body, { token: ada.token })
}

const mark = 'wR0ng vAlue' // in no other text
/** Wrong values, and the words for them. */
const wrong: [value: unknown, words: string][] = [
  [`${mark} ?#@`, `"${mark} ?#@"`],
  ['', '""'],
  [-7.25, '-7.25'],
  [1e300, '1e+300'],
  [null, 'null'],
  [true, 'true'],
  [[], 'an empty list'],
  [[mark, 7], 'a list of 2'],
  [{ strange: mark }, 'an object'],
]

/** Fields of which no answer repeats anything. */
const secret =
  /(?:^|\.)(?:auth|configuration|config|headers)\b|\bsettings\.body$|(?:^|_)(?:password|token|code|key)$|\bcertificate$/
/** Fields that may be a URL; of one with a query, a fragment or credentials nothing is repeated. */
const url = /(?:^|[._])(?:urls?|uris?|target|link)(?:\.\d+)?$/

/** Sentences that say what must hold. */
const rule = /\b(?:must|may|needs?|is required|exclusive|cannot|send|not valid|already|unknown|is not|expected)\b/

/** Checks each problem of an answer. `words`: of what was sent as the field; null: it was not sent. */
function expectSaid(asked: string, { status, body }: Answer, field: string, words: string | null) {
  if (status !== 400 || body.problems === undefined) return
  const sentences = (body.problems as Problem[]).map(({ field: at, message, got }) => {
    expect([asked, at.length > 0, message]).toEqual([asked, true, expect.stringMatching(rule)])
    return `${at}: ${message}${got === undefined || /\bgot\b|\bfound ["“]|[,;] not ["“\d]/.test(message) ? '' : `, got ${got}`}`
  })
  expect([asked, body.details]).toEqual([asked, sentences.join('; ')])
  const own = (body.problems as Problem[]).find((one) => one.field === field)
  const isSecret = secret.test(field) || (url.test(field) && words?.includes(mark))
  if (own)
    expect([asked, own.message, own.got]).toEqual([asked, own.message, isSecret ? undefined : (words ?? undefined)])
}

describe('a problem says its field, what must hold and what came:', () => {
  test.each(named(routes.filter(({ body }) => body !== undefined)))(
    '%s',
    async (_, route) => {
      const path = pathTo(route.path, ada.things)
      const good = goodBody(route, ada) ?? {}
      for (const field of fieldsOf(route, good)) {
        const name = field.join('.')
        for (const [value, words] of wrong) {
          const answer = await send(route.method, path, withValue(good, field, value))
          expectSaid(`${name} ${words}`, answer, name, words)
          if (secret.test(name) && answer.status === 400) expect(answer.text).not.toContain(mark)
        }
        expectSaid(name, await send(route.method, path, withValue(good, field, undefined)), name, null)
      }
    },
    120_000,
  )
})

/** Paths of the fields of a schema, and of those that a good body has. */
function fieldsOf(route: Route, good: object): string[][] {
  const all = [...fieldPaths(route.body ?? {}), ...pathsIn(good)]
  return [...new Map(all.map((path) => [path.join('.'), path])).values()]
}

function pathsIn(value: object, above: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inside]) => {
    const path = [...above, name]
    return typeof inside === 'object' && inside !== null && !Array.isArray(inside)
      ? [path, ...pathsIn(inside, path)]
      : [path]
  })
}

describe('a parameter of a query string or a path too:', () => {
  test.each(named(routes.filter(({ query }) => query !== undefined)))('%s', async (_, { method, path, query }) => {
    for (const name of Object.keys(query ?? {})) {
      for (const value of [mark, '-7.25', '']) {
        const answer = await send(method, `${pathTo(path, ada.things)}?${name}=${encodeURIComponent(value)}`)
        expectSaid(`${name}=${value}`, answer, name, JSON.stringify(value))
      }
    }
  })

  test.each(named(routes.filter(({ path }) => path.endsWith('/:id'))))('%s', async (_, route) => {
    const answer = await send(route.method, route.path.replace(':id', 'x7'), route.body && (goodBody(route, ada) ?? {}))
    if (answer.status === 404) return // ids of OAuth2 clients are texts
    expect([answer.status, answer.body.details]).toEqual([400, expect.stringMatching(/^id: must be .+, got "x7"$/)])
  })
})

describe('nothing of the configuration of a channel is repeated:', () => {
  test.each(Object.entries(goodConfigurations))('%s', async (channel_type, { configuration }) => {
    for (const field of pathsIn(configuration)) {
      for (const value of [`${mark}\n`, [`${mark}\n`], { strange: `${mark}\n` }]) {
        const sent = { name: 'x', channel_type, configuration: withValue(configuration, field, value) }
        const { status, body, text } = await send('POST', '/api/v1/notifications/channels', sent)
        if (status === 201) continue
        expect(text).not.toContain(mark)
        for (const problem of body.problems as Problem[]) expect(problem.got).toBeUndefined()
      }
    }
  })
})
