import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Described, operationsOf, readDocument } from '../contract/document.ts'

const folder = join(import.meta.dir, '../../src/web/page')
const prefix = '/api/v1'

/** A request of the page; `*` in its path stands for a part that is only known when it is sent. */
type Call = { method: string; path: string }

/** Calls whose path or method a part of the page is given, by operation: the file that sends it, and what it says there. */
const handedOn: Record<string, readonly [file: string, text: string]> = {
  loginByProxy: ['pages/account/login.tsx', "signInAt('/auth/proxy-login')"],
  subscribe: ['api/live.ts', '/api/v1/ws/subscribe'],
  previewSlo: ['slo/use-preview.ts', "path: '/slos/preview"],
  readPicks: ['pages/slo-form/slo-form.tsx', "path: '/slos/picks'"],
  previewCorrection: ['pages/corrections/correction-form.tsx', "path: '/corrections/preview'"],
  previewTemplate: ['pages/notify/templates/use-template-preview.ts', "path: '/notifications/templates/preview'"],
  trySource: ['pages/collect/form/edit-form.tsx', "('POST', `${itemPath}/test`"],
  tryTarget: ['pages/collect/form/edit-form.tsx', "('POST', `${itemPath}/test`"],
  tryProbe: ['pages/collect/form/edit-form.tsx', "('POST', `${itemPath}/test`"],
  updateTarget: ['pages/collect/form/edit-form.tsx', "id === null ? 'POST' : 'PUT', itemPath"],
  updateProbe: ['pages/collect/form/edit-form.tsx', "id === null ? 'POST' : 'PUT', itemPath"],
  deleteTarget: ['pages/collect/targets/targets.tsx', 'pauseAndDelete({ name, list: path'],
  listHeartbeatSlos: ['pages/collect/parts/ask.ts', "send<ReadingSlos>('GET', `${list}/${id}/slos`)"],
  listProbeSlos: ['pages/collect/parts/ask.ts', "send<ReadingSlos>('GET', `${list}/${id}/slos`)"],
  listTargetSlos: ['pages/collect/parts/ask.ts', "send<ReadingSlos>('GET', `${list}/${id}/slos`)"],
  acknowledgeIncident: ['incidents/acknowledge-requests.ts', "send('POST', `${of.path}/acknowledge`"],
  acknowledgeAlert: ['incidents/acknowledge-requests.ts', "send('POST', `${of.path}/acknowledge`"],
  withdrawIncidentAcknowledgement: ['incidents/acknowledge-requests.ts', "send('DELETE', `${of.path}/acknowledge`"],
  withdrawAcknowledgement: ['incidents/acknowledge-requests.ts', "send('DELETE', `${of.path}/acknowledge`"],
  writeIncidentAccount: ['pages/incidents/parts/account.tsx', "send('PUT', pathOf(id)"],
  deleteIncidentAccount: ['pages/incidents/parts/account.tsx', "send('DELETE', pathOf(id)"],
  endUserSessions: ['pages/settings/people/people.tsx', 'id="sessions"'],
  querySourceApiByForm: ['pages/explore/use-answers.ts', "view === 'table' ? 'query'"],
  querySourceApiRangeByForm: ['pages/explore/use-answers.ts', "'query_range'"],
  listSourceApiLabels: ['editor/source-client.ts', "list('labels', metric)"],
  listSourceApiLabelValues: ['editor/source-client.ts', '`label/${encodeURIComponent(label)}/values`'],
}

/** Operations that the page does not call, on purpose, by the reason; `*` stands for any part of a path. */
const onlyApi: Record<string, readonly string[]> = {
  'for probes, Prometheus and status pages of others': [
    'GET /health',
    'GET /ready',
    'GET /metrics',
    'GET /api/v1/status/public',
  ],
  'the reference': ['GET /openapi.json', 'GET /docs', 'GET /swagger'],
  'for applications': [
    'GET /.well-known/oauth-authorization-server',
    'GET /oauth/consent.css',
    'GET /oauth/authorize',
    'POST /oauth/authorize',
    'POST /oauth/token',
    'POST /oauth/revoke',
    'POST /oauth/introspect',
  ],
  'addresses that the browser itself opens': [
    'GET /auth/oidc/start',
    'GET /auth/oidc/callback',
    'GET /notifications/confirm',
    'POST /notifications/confirm',
  ],
  'other names of operations that the page calls': [
    'POST /api/v1/auth/password-reset/request',
    'POST /api/v1/auth/password-reset/confirm',
  ],
  'for Grafana and other clients of Prometheus': [
    '* /api/v1/embedded/prometheus/*',
    'GET /api/v1/tsdb/sources/:id/prometheus/api/v1/query',
    'GET /api/v1/tsdb/sources/:id/prometheus/api/v1/query_range',
    '* /api/v1/tsdb/sources/:id/prometheus/api/v1/series',
    'POST /api/v1/tsdb/sources/:id/prometheus/api/v1/labels',
    'GET /api/v1/tsdb/sources/:id/prometheus/api/v1/rules',
    'GET /api/v1/tsdb/sources/:id/prometheus/api/v1/status/buildinfo',
  ],
  'for programs; the page has other ways to the same': [
    '* /api/v1/tsdb/queries*',
    'POST /api/v1/tsdb/calculate-slo',
    'GET /api/v1/tsdb/real-time-metrics',
    'GET /api/v1/slos/availability-trend',
    'GET /api/v1/tsdb/health',
    'GET /api/v1/notifications/:id',
  ],
  'for an operator who has repaired a source': ['POST /api/v1/slos/:id/backfill', 'DELETE /api/v1/slos/:id/backfill'],
  'for programs that keep results of their own, and for tuning': [
    'POST /api/v1/cache/entry',
    'POST /api/v1/cache/warmup',
    'GET /api/v1/cache/config',
    'PUT /api/v1/cache/config',
  ],
}

const isGivenPath = 'if the page calls it with a path that it is given, add it to `handedOn` in this file'

let operations: Described[]
let files: Map<string, string>
let calls: Call[]
const listed = Object.values(onlyApi).flat()

beforeAll(async () => {
  operations = operationsOf((await readDocument()).document)
  const paths = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: folder })].toSorted()
  files = new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, string]> => [path, await Bun.file(join(folder, path)).text()]),
    ),
  )
  calls = callsOf([...files.values()])
})

/** Constants of a source text that hold a path or its beginning. */
function constantsIn(source: string): [name: string, text: string][] {
  return [...source.matchAll(/const (\w+) = (['`])([^'`\n]*)\2/g)].map(([, name = '', , text = '']) => [name, text])
}

/** Paths that a text of the source can stand for: constants of the file in place, then those of the same name elsewhere. */
function pathsOf(text: string, own: [string, string][], all: [string, string][], depth = 0): string[] {
  const name = /^\$\{(\w+)\}/.exec(text)?.[1]
  if (name === undefined) return text.startsWith('/') ? [withoutQuery(text)] : []
  if (depth > 3) return []
  const known = own.filter(([one]) => one === name)
  const values = known.length > 0 ? known : all.filter(([one]) => one === name)
  return values.flatMap(([, value]) => pathsOf(value + text.slice(name.length + 3), own, all, depth + 1))
}

function withoutQuery(text: string): string {
  return text.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '*').replace(/\?.*$/, '')
}

/** Requests in the sources of the page: `send('PUT', path…)`, and each path as one that is read. */
function callsOf(sources: string[]): Call[] {
  const all = sources.flatMap(constantsIn)
  return sources.flatMap((source) => {
    const own = constantsIn(source)
    const found = (methods: string[], written: string): Call[] => {
      const literal = /^(['`])([^'`\n]*)\1/.exec(written)?.[2]
      const name = /^\w+\b/.exec(written)?.[0]
      const text = literal ?? (name === undefined ? '' : `\${${name}}`)
      return pathsOf(text, own, all).flatMap((path) => methods.map((method) => ({ method, path })))
    }
    const sent = [...source.matchAll(/((?:'(?:POST|PUT|PATCH|DELETE|GET)'(?:\s*:\s*)?)+),\s*([^\n]*)/g)]
    const posted = [...source.matchAll(/\b(?:postOpen|signIn)(?:<[^>]*>)?\(\s*([^\n]*)/g)]
    const read = [...source.matchAll(/(['`])((?:\/|\$\{)[^'`\n]*)\1/g)]
    return [
      ...sent.flatMap(([, methods = '', written = '']) => found(methods.match(/[A-Z]+/g) ?? [], written)),
      ...posted.flatMap(([, written = '']) => found(['POST'], written)),
      ...read.flatMap(([, , text = '']) => pathsOf(text, own, all).map((path) => ({ method: 'GET', path }))),
    ]
  })
}

function isCalled(one: Described): boolean {
  return one.operationId in handedOn || calls.some((call) => isOf(one, call))
}

function isOf({ method, path }: Described, call: Call): boolean {
  const parts = path.split('/')
  const sent = `${prefix}${call.path}`.split('/')
  if (call.method !== method || sent.length !== parts.length) return false
  return parts.every((part, at) => part === sent[at] || (part.startsWith('{') && sent[at] === '*'))
}

/** Requests whose whole path stands in the call: `send('POST', '/slos/bulk', …)`. */
function literalCalls(source: string): Call[] {
  const sent = source.matchAll(/\bsend(?:<[^;=]*?>)?\(\s*'([A-Z]+)',\s*(['`])(\/[^'`\n]*)\2/g)
  return [...sent].map(([, method = '', , path = '']) => ({ method, path: withoutQuery(path) }))
}

const covers = (entry: string, { name }: Described): boolean => {
  const pattern = entry.split('*').map((text) => text.replaceAll(/[.:/$^+?()[\]{}|\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*')}$`).test(name)
}

test('the page calls every operation that is not listed as one of the API alone, and none that is', () => {
  const isListed = (one: Described) => listed.some((entry) => covers(entry, one))
  const missing = operations.filter((one) => !isCalled(one) && !isListed(one)).map(({ name }) => name)
  expect(missing, `no call was found: ${isGivenPath}, or list it in onlyApi, with the reason`).toEqual([])
  const called = operations.filter((one) => isCalled(one) && isListed(one)).map(({ name }) => name)
  expect(called, 'the page calls it: remove it from `onlyApi`').toEqual([])
})

test('each request that is written out in the page is an operation of the OpenAPI document', () => {
  const sent = [...files].flatMap(([file, source]) => literalCalls(source).map((call) => ({ file, ...call })))
  expect(sent.length).toBeGreaterThan(50)
  const unknown = sent.filter((call) => !operations.some((one) => isOf(one, call)))
  expect(unknown, 'no operation has this method and path: compare with /docs of a running nines').toEqual([])
})

test('each entry of the list is an operation of the OpenAPI document', () => {
  expect(listed.length).toBeGreaterThan(20)
  expect(listed.filter((entry) => !operations.some((one) => covers(entry, one)))).toEqual([])
})

test('what a part of the page is given to call is called there', () => {
  const ids = new Set(operations.map(({ operationId }) => operationId))
  const wrong = Object.entries(handedOn).filter(
    ([id, [file, text]]) => !ids.has(id) || !files.get(file)?.includes(text),
  )
  expect(wrong, 'correct the file or the text of these in `handedOn`').toEqual([])
})
