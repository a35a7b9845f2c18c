import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../package.json' with { type: 'json' }
import type { Role } from '../../src/role.ts'
import { createServer } from '../../src/server.ts'
import { pagePaths } from '../../src/web/page-routes.ts'
import { testApp } from '../support/app.ts'
import { people, type Person } from '../support/people.ts'
import { type Described, operationsOf, readDocument } from './document.ts'
import { createChecker } from './check-answer.ts'

const { document, text } = await readDocument()
const operations = operationsOf(document)
const named = operations.map((operation) => [operation.name, operation] as const)

/** Linter rules: the recommended ones, and those for the promises of the API reference. */
const rules = {
  extends: ['recommended'],
  rules: {
    'operation-description': 'error',
    'parameter-description': 'error',
    'tag-description': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
  },
}

test('a public linter finds no error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nines-openapi-'))
  const file = join(folder, 'openapi.json')
  await Bun.write(file, text)
  await Bun.write(join(folder, 'redocly.yaml'), JSON.stringify(rules)) // JSON is YAML
  const linter = Bun.fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', HOME: folder }
  const lint = Bun.spawn([process.execPath, linter, 'lint', file], {
    cwd: folder,
    env: quiet,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = (await Promise.all([lint.stdout.text(), lint.stderr.text()])).join('')
  rmSync(folder, { recursive: true, force: true })
  expect([await lint.exited, said]).toEqual([0, expect.stringContaining('is valid')])
})

test('examples name no SLO but the one of their organization', () => {
  const found = new Set<unknown>()
  const walk = (value: unknown, isExample: boolean) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, one] of Object.entries(value)) {
      if (isExample && (key === 'slo_id' || key === 'slo_ids')) for (const id of [one].flat()) found.add(id)
      walk(one, isExample || key === 'example' || key === 'examples')
    }
  }
  walk(document, false)
  expect([...found.difference(new Set([null, 0]))]).toEqual([1]) // 0: no SLO, in the cache
})

test('no number may be sent as a text', () => {
  const formats = new Set(['integer', 'numeric']) // of the texts that Elysia adds to some types
  const found: string[] = []
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    const { type, format } = value as { type?: unknown; format?: unknown }
    if (type === 'string' && formats.has(String(format))) found.push(path)
    for (const [key, one] of Object.entries(value)) walk(one, `${path}/${key}`)
  }
  walk(document, '')
  expect(found).toEqual([])
})

test('every route of the server is in it, but for pages, what they load, a key that is missing and an alias', async () => {
  const { app, close } = await testApp()
  const routes = createServer(app).routes.filter(({ method }) => method !== 'OPTIONS')
  await close()
  const there = new Set(operations.map(({ name }) => name))
  const names = routes.map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
  const isToldElsewhere = (name: string) => there.has(name.replace(' /embedded/', ' /api/v1/embedded/'))
  const isPage = (name: string) => pagePaths.some((path) => name === `GET ${path}`)
  const isReport = (name: string) => / \/(?:ping|api\/push)\//.test(name) // docs/collect.md has what jobs call
  const isFeed = (name: string) => name === 'GET /calendar/*' // docs/budgets.md has what calendars read
  const isUntold = (name: string) =>
    !there.has(name) && !isToldElsewhere(name) && !isPage(name) && !isReport(name) && !isFeed(name)
  expect(names.filter(isUntold).toSorted()).toEqual([
    'DELETE /api/v1/cache/entry',
    'GET /api/v1/cache/entry',
    'GET /assets/:name',
    'GET /docs/page.css',
    'GET /docs/start.js',
    'GET /docs/swagger-ui.css',
    'GET /docs/swagger-ui.js',
    'POST /api/v1/otlp/v1/metrics', // an alias
    'POST /api/v1/write', // an alias
    'POST /v1/metrics', // an alias
  ])
  expect(operations.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([])
})

test('it says what it is', () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    info: { title: 'nines', version },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
})

test('it stands behind the path of the public URL', async () => {
  const { call, close } = await testApp({ env: { PUBLIC_URL: 'https://ops.example/nines' } })
  const { body } = await call('GET', '/openapi.json', undefined, { token: null })
  await close()
  expect(body.servers[0].url).toBe('/nines')
})

test('operations have ids of their own, and tags that are described', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const tags = document.tags.map(({ name }) => name)
  expect(new Set(operations.flatMap((operation) => operation.tags))).toEqual(new Set(tags))
})

test.each(named)('%s is described', (_, operation) => {
  expect(operation.summary).toMatch(/^[A-Z].+/)
  expect(operation.operationId).not.toMatch(/^(?:get|post|put|delete)(?:Api|Oauth|\.)/) // a generated one
  for (const { description, name } of operation.parameters ?? [])
    expect([name, description]).toEqual([name, expect.any(String)])
  expect(Object.keys(operation.responses).some((status) => Number(status) < 400)).toBe(true)
})

test('nothing of our own is left in the schemas', () => {
  expect(text).not.toMatch(/"(?:shown|nullable|\$id)":|"format":"(?!date-time|email|uri)/)
})

test('it calls public what answers without a token, and nothing else', async () => {
  const { call, close } = await testApp()
  const open: string[] = []
  for (const { name, method, path } of operations) {
    const { body } = await call(method, path.replaceAll(/\{\w+\}/g, '1'), method === 'GET' ? undefined : {}, {
      token: null,
    })
    if (body?.error !== 'Not signed in') open.push(name)
  }
  await close()
  expect(operations.filter(({ security }) => security?.length === 0).map(({ name }) => name)).toEqual(open)
})

test('a description begins with the role that an operation takes, and says where a session is needed', async () => {
  const nines = await testApp()
  const who = await people(nines)
  const machineOf = async ({ token }: Person, role: Role) =>
    (await nines.call('POST', '/api/v1/auth/tokens', { name: 'machine', role }, { token })).body.token
  // which cannot end the session of the request
  const viewer = await machineOf(who.viewer, 'viewer')
  const admin = await machineOf(who.admin, 'admin')
  const wrong: string[] = []
  for (const { name, method, path, security, description = '' } of operations) {
    if (security) continue
    const send = (token: string) => {
      return nines.call(method, path.replaceAll(/\{\w+\}/g, '987654'), method === 'GET' ? undefined : {}, { token })
    }
    const [, role = 'viewer'] = /needs the role (\w+)/.exec((await send(viewer)).body?.details) ?? []
    const said = /^For (member|administrator)s\b/.exec(description)?.[1] ?? 'viewer'
    if (!said.startsWith(role)) wrong.push(`${name}: ${role}, not ${said}`)
    const isBySession = (await send(admin)).body?.details?.includes('session') === true
    if (isBySession !== /access token of a session/.test(description)) wrong.push(`${name}: session ${isBySession}`)
  }
  await nines.close()
  expect(wrong).toEqual([])
})

const checker = createChecker(document)
const isBinary = ({ requestBody }: Described) => requestBody?.content['application/x-protobuf'] !== undefined
const withBody = named.filter(([, operation]) => operation.requestBody && !isBinary(operation))

test.each(withBody)('%s shows an example of its body that is as its schema says', (_, operation: Described) => {
  for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
    expect(example).toBeObject()
    expect(checker.ofBody(operation, type, example)).toBeUndefined()
  }
})
