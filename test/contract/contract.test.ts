import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Answer, TestApp } from '../support/app.ts'
import { fakeSource } from '../support/fake-source.ts'
import { goodBody } from '../support/good-bodies.ts'
import { expectNoFailureLogged } from '../support/hostile.ts'
import { asPrometheus, pathTo } from '../support/named-things.ts'
import type { Populated } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { anything, isSchema, spoilt, valid } from './arbitrary.ts'
import { type Described, type Json, operationsOf, readDocument, describesStatus } from './document.ts'
import { createChecker } from './check-answer.ts'

const { document } = await readDocument()
const checker = createChecker(document)
const operations = operationsOf(document)
const seed = 20_261_121
const each = 6
const firstSource = 1 // from SOURCE_URL
const nobodys = 987_654_321
const idNames = ['slo_id', 'source_id', 'team_id', 'channel_id', 'rule_id']

const source = fakeSource(() => 0.99)
let nines: TestApp
let ada: Populated
async function begin(sourceUrl = source.url) {
  ;({ nines, ada } = await populatedApp({ ada: 2 }, { env: { SOURCE_URL: sourceUrl } }))
}
const end = () => nines.close()
afterAll(source.close)

/** Operations that cannot succeed here: they need a mailed secret, a code of an app, a WebSocket handshake, or a source that answers. */
const neverWell = new Set([
  'GET /api/v1/ws/subscribe',
  'GET /api/v1/tsdb/health',
  'GET /swagger',
  'GET /auth/oidc/start',
  'GET /auth/oidc/callback',
  'POST /api/v1/auth/proxy-login',
  'POST /api/v1/backups', // there is no folder for them
  'GET /oauth/authorize',
  'POST /oauth/authorize',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'POST /oauth/introspect',
  'GET /notifications/confirm',
  'POST /notifications/confirm',
  'POST /api/v1/auth/confirm-email',
  'POST /api/v1/auth/demo-login',
  'POST /api/v1/auth/login/mfa',
  'POST /api/v1/auth/second-factor/confirm',
  'POST /api/v1/auth/second-factor/recovery-codes',
  'POST /api/v1/auth/second-factor/disable',
  'POST /api/v1/auth/password-reset-confirm',
  'POST /api/v1/auth/password-reset/confirm',
  'DELETE /api/v1/slos/:id/backfill',
  'POST /api/v1/embedded/prometheus/api/v1/write', // its body is no text
  'GET /api/v1/tsdb/sources/:id/suggestions', // its source does not answer
  ...['query', 'query_range', 'series'].flatMap((asked) => [
    `GET /api/v1/embedded/prometheus/api/v1/${asked}`, // without required parameters
    `GET /api/v1/tsdb/sources/:id/prometheus/api/v1/${asked}`,
  ]),
])

const named = (some: Described[]) => some.map((operation) => [operation.name, operation] as const)

describe('what reads answers as the document says:', () => {
  beforeAll(() => begin())
  afterAll(end)
  test.each(named(operations.filter(({ method }) => method === 'GET')))('%s', holds)
})

describe('what writes answers as the document says:', () => {
  beforeEach(() => begin())
  afterEach(end)
  test.each(named(operations.filter(({ method }) => method !== 'GET')))('%s', holds)
})

const away = fakeSource(() => 0.99)
away.close()
const asksSource = (operation: Described) => describesStatus(operation, 503) && operation.path.includes('/tsdb/')
const isWell = ({ name }: Described) => name === 'GET /api/v1/tsdb/health' || !neverWell.has(name)
describe('while the source is away, as the document says answers', () => {
  beforeAll(() => begin(away.url))
  afterAll(end)
  test.each(named(operations.filter((operation) => asksSource(operation) && isWell(operation))))(
    '%s',
    async (_, operation) => {
      const { status } = await send(operation, ownPath(operation), goodOf(operation))
      expect(status).toBe(503)
    },
  )
})

/** Sends one valid request and the requests generated from the document, and checks the answers. */
async function holds(name: string, operation: Described): Promise<void> {
  const good = goodOf(operation)
  const path = ownPath(operation)
  const well = await send(operation, path, good)
  if (!neverWell.has(name)) expect([well.status < 300, well.text]).toEqual([true, well.text])
  if (operation.method === 'GET' && well.status === 200)
    expect(well.headers.has('etag')).toBe('304' in operation.responses)
  for (const [generated, body] of requestsTo(operation)) await send(operation, generated, body)
  for (const id of idNames.filter((one) => fieldsOf(operation).includes(one))) {
    await send(operation, path, { ...(isSchema(good) ? good : {}), [id]: nobodys })
  }
  expectNoFailureLogged(nines)
}

/** Path with ids of ada's things; queries use the source that answers. */
function ownPath({ path }: Described): string {
  const template = path.replaceAll(/\{(\w+)\}/g, ':$1')
  return pathTo(template, asPrometheus.test(template) ? { ...ada.things, source: firstSource } : ada.things)
}

async function send(operation: Described, path: string, body?: Json): Promise<Answer> {
  if (path.includes('auth')) await nines.app.db.write.deleteFrom('login_attempts').execute() // removes the delay for failed logins
  const token = operation.security ? null : ada.token
  const type = Object.keys(operation.requestBody?.content ?? {})[0] ?? 'application/json'
  const written = body === undefined || type === 'application/json' ? body : formOf(body)
  const answer = await nines.call(operation.method, path, written, {
    token,
    headers: written === undefined ? {} : { 'content-type': type },
  })
  const wrong = checker.ofAnswer(operation, answer)
  if (wrong)
    throw new Error(
      `${operation.method} ${path} ${JSON.stringify(body)}: ${wrong}\n${answer.status} ${answer.text.slice(0, 500)}`,
    )
  return answer
}

function goodOf(operation: Described): Json | undefined {
  if (operation.requestBody && !operation.requestBody.content['application/json']) return exampleOf(operation)
  const body = goodBody(
    { name: operation.name, method: '', path: '', query: undefined, body: operation.requestBody && {} },
    ada,
  )
  if (body) expect(checker.ofBody(operation, 'application/json', body)).toBeUndefined()
  return body && JSON.parse(JSON.stringify(body))
}

function fieldsOf({ requestBody }: Described): string[] {
  const name =
    String(requestBody?.content['application/json']?.schema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? ''
  return Object.keys(document.components.schemas[name]?.['properties'] ?? {})
}

function exampleOf({ requestBody }: Described): Json | undefined {
  return Object.values(requestBody?.content ?? {})[0]?.example
}

/** The example of the body, valid generated requests, and generated requests with one invalid field. */
function requestsTo(operation: Described): [path: string, body: Json | undefined][] {
  const { parameters = [], requestBody } = operation
  const { things } = ada
  const known = {
    slo_id: things.slo,
    source_id: things.source,
    team_id: things.team,
    channel_id: things.channel,
    rule_id: things.rule,
  }
  const ids: Record<string, Json> = { id: things.slo, key: things.cacheKey, ...known }
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
  const required = parameters.filter((one) => one.required === true).map(({ name }) => name)
  const goodParameters = valid(document, { type: 'object', properties, required }, ids)
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema
  const goodBody = schema ? valid(document, schema, known) : fc.constant(undefined)
  const badBody = schema ? fc.oneof(spoilt(valid(document, schema, known)), anything()) : fc.constant(undefined)
  const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { seed, numRuns: each })
  return [
    ...sample(fc.tuple(goodParameters, goodBody)),
    ...sample(fc.tuple(goodParameters, badBody)),
    ...sample(fc.tuple(spoilt(goodParameters), goodBody)),
    ...(schema ? sample(fc.tuple(goodParameters, fc.constant(exampleOf(operation)))).slice(0, 1) : []),
  ].map(([chosen, body]) => [pathWith(operation, isSchema(chosen) ? chosen : {}), body])
}

function pathWith({ path, parameters = [] }: Described, chosen: Record<string, Json>): string {
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const values = [chosen[name] ?? []].flat()
    if (place === 'query') for (const value of values) query.append(name, textOf(value))
  }
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(textOf(chosen[name] ?? 0)) || '0',
  )
  return query.size === 0 ? filled : `${filled}?${query}`
}

function textOf(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\p{Surrogate}/gu, '')
}

function formOf(body: Json): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(isSchema(body) ? body : {}))
    for (const one of [value].flat()) form.append(name, textOf(one))
  return form.toString()
}
