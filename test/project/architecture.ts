import { Glob } from 'bun'
import type { Import } from './imports.ts'

/**
 * "Who may import whom" of the architecture: a part of `src` (a folder, a file at its top, `arithmetic`: the pure functions of
 * `slos/arithmetic`, or `channel-schemas`: the fields of channels) and the parts it may import.
 * `(types)` allows `import type` only. Its own part, and types of `config`, are always allowed.
 */
export const ground = [
  'errors',
  'clock',
  'certificate',
  'log',
  'metrics',
  'cidr',
  'role',
  'zone',
  'mail',
  'origin',
  'quotas',
  'concurrency',
  'arithmetic',
]
const below = [...ground, 'db', 'http']
const measuring = [...below, 'slos', 'promql']
const features = ['auth', 'cache', 'realtime', 'embedded', 'sources', 'sli', 'ledger', 'evaluation']
export const mayImport = new Map<string, string[]>([
  ['errors', []],
  ['clock', []],
  ['certificate', []],
  ['log', ['errors']],
  ['metrics', ['clock']],
  ['cidr', []],
  ['concurrency', ['errors', 'clock']],
  ['role', []],
  ['zone', []],
  ['arithmetic', []],
  ['channel-schemas', []],
  ['mail', ['log', 'concurrency']],
  ['origin', []],
  ['quotas', ['errors']],
  // imports its values; all others may import its types
  ['sign-in-settings', ['role']],
  ['backup-settings', []],
  ['listen-settings', []],
  ['mail-settings', []],
  ['config', ['log', 'cidr', 'quotas', 'sign-in-settings', 'listen-settings', 'mail-settings', 'backup-settings']],
  ['db', ground],
  ['promql', ground],
  ['http', ground],
  ['slos', below],
  ['auth', below],
  ['cache', below],
  ['web', [...ground, 'http', 'channel-schemas']],
  ['realtime', [...ground, 'http']],
  ['embedded', [...below, 'promql']],
  ['sources', [...measuring, 'embedded']],
  ['sli', [...measuring, 'sources', 'cache']],
  ['ledger', [...measuring, 'sources', 'sli']],
  ['evaluation', [...measuring, 'sources', 'sli', 'ledger', 'cache']],
  ['preview', [...measuring, 'sources', 'sli', 'ledger', 'evaluation']],
  ['insight', [...measuring, 'sources', 'sli', 'ledger', 'evaluation']],
  ['notifications', [...below, 'slos', 'channel-schemas', 'evaluation (types)']],
  ['reports', [...measuring, 'sources', 'sli', 'ledger', 'evaluation', 'insight', 'notifications']],
  ['status', [...below, 'slos', 'evaluation']],
  ['jobs', [...measuring, ...features, 'notifications', 'status']],
])
export const mayImportAnything = new Set(['cli', 'app', 'server', 'main', 'worker', 'check-worker'])

/** "One third-party package, one home": places that may import each package. */
const homes = new Map<string, string[]>([
  ['@elysiajs/cors', ['src/server.ts', 'src/http/**']],
  ['@elysiajs/jwt', ['src/auth/sessions/tokens.ts']],
  ['@elysiajs/openapi', ['src/http/openapi/openapi.ts']],
  ['@codemirror/autocomplete', ['src/web/page/editor/**']],
  ['@codemirror/commands', ['src/web/page/editor/**']],
  ['@codemirror/language', ['src/web/page/editor/**']],
  ['@codemirror/lint', ['src/web/page/editor/**']],
  ['@codemirror/state', ['src/web/page/editor/**']],
  ['@codemirror/view', ['src/web/page/editor/**']],
  ['@lezer/highlight', ['src/web/page/editor/**']],
  ['@prometheus-io/codemirror-promql', ['src/web/page/editor/**']],
  ['@preact/signals', ['src/web/page/**']],
  ['@prometheus-io/lezer-promql', ['src/promql/read.ts', 'src/web/page/editor/tree.ts']],
  ['better-sqlite3', ['src/db/sqlite.ts']],
  ['croner', ['src/jobs/**', 'src/embedded/heartbeats/**']],
  ['elysia', ['src/server.ts', 'src/http/**', 'src/**/{routes,*-routes,model,*-model,messages,socket}.ts']],
  ['hysnappy', ['src/embedded/ingest/snappy.ts', 'src/embedded/outgoing/write-request.ts']],
  ['kysely', ['src/db/**', 'src/**/{store,*-store}.ts']],
  [
    'lru-cache',
    [
      'src/app/log.ts',
      'src/cache/**',
      'src/embedded/ingest/senders.ts',
      'src/auth/sessions/tokens.ts',
      'src/http/response-cache.ts',
      'src/insight/**',
      'src/evaluation/reads/real-time/**',
    ],
  ],
  ['nodemailer', ['src/mail.ts', 'src/notifications/channels/email/email.ts']],
  ['openid-client', ['src/auth/external/oidc.ts']],
  ['preact', ['src/web/page/**']],
  ['preact-iso', ['src/web/page/**']],
  ['prom-client', ['src/metrics.ts']],
  ['re2js', ['src/promql/regex.ts']],
  ['swagger-ui-dist', ['src/web/reference-routes.ts']],
  ['uplot', ['src/web/page/charts/**']],
  ['uqr', ['src/web/page/second-factor/**']],
])
/** The page, which runs in the browser. It may import two folders of the server; the server imports its routes and icon names. */
const page = 'src/web/page/'
const arithmetic = 'src/slos/arithmetic/'
const channelSchemas = 'src/notifications/channels/schemas/'
const sharedByPage = new Set(['src/web/page/address/routes.ts', 'src/web/page/ui/icon-names.ts'])
/** Parts of the page (a folder of it, or a file at its top), and the parts that each may import. */
const pageGround = ['clock', 'zone', 'format', 'words', 'address']
const pageBase = [...pageGround, 'api', 'ui']
const pageShared = [
  ...pageBase,
  'editor',
  'charts',
  'slo',
  'silence',
  'what-if',
  'journey',
  'incidents',
  'second-factor',
]
export const pageParts = new Map<string, string[]>([
  ...pageGround.map((part): [string, string[]] => [part, part === 'format' || part === 'address' ? ['zone'] : []]),
  ['api', pageGround],
  ['ui', [...pageGround, 'api']],
  ['editor', pageBase],
  ['charts', pageBase],
  ['second-factor', pageBase],
  ['slo', [...pageBase, 'charts']],
  ['silence', [...pageBase, 'charts', 'slo']],
  ['journey', [...pageBase, 'charts', 'slo']],
  ['what-if', [...pageBase, 'charts', 'slo']],
  ['incidents', [...pageBase, 'charts', 'slo', 'silence']],
  ['pages', pageShared],
  ['app', pageShared],
  ['main', [...pageBase, 'app']],
])
/** The only file outside of `pages` that imports pages: it loads them when they are shown, all but the sign-in. */
const router = 'app/app.tsx'
const outside = new Set([
  'schema.sql',
  'package.json',
  'THIRD-PARTY-NOTICES.txt',
  'CHANGELOG.md',
  'dist/page/embedded.ts',
  'dist/openapi.d.ts',
])

/** Imports that break a rule, one readable line each. */
export function violations(imports: Import[]): string[] {
  return imports.flatMap((one) => {
    const wrong = problemOf(one)
    return wrong ? [`${one.from} imports ${one.to}: ${wrong}`] : []
  })
}

/** Import cycles, including type imports: one path for each file that starts one. */
export function cycles(imports: Import[]): string[] {
  const next = Map.groupBy(
    imports.filter(({ to }) => to.startsWith('src/')),
    ({ from }) => from,
  )
  const done = new Set<string>()
  const found: string[] = []

  function follow(file: string, path: string[]): void {
    const at = path.indexOf(file)
    if (at >= 0) found.push([...path.slice(at), file].join(' -> '))
    if (at >= 0 || done.has(file)) return
    for (const { to } of next.get(file) ?? []) follow(to, [...path, file])
    done.add(file)
  }

  for (const file of next.keys()) follow(file, [])
  return found
}

function problemOf({ from, to, typeOnly }: Import): string | undefined {
  if (/^(node|bun):|^bun$/.test(to)) return undefined
  if (from.startsWith(page) !== to.startsWith(page) && to.startsWith('src/')) {
    const isShared = from.startsWith(page)
      ? to.startsWith(arithmetic) || to.startsWith(channelSchemas)
      : sharedByPage.has(to)
    if (!isShared)
      return 'the page and the server import nothing of each other but slos/arithmetic and schemas of channels'
  }
  if (from.startsWith(page) && to.startsWith(page)) return problemInPage(from.slice(page.length), to.slice(page.length))
  if (to.startsWith('src/')) return problemInside(partOf(from), partOf(to), typeOnly)
  if (to.startsWith('..')) return 'it lies outside the project'
  if (outside.has(to)) return undefined
  if (/^(test|scripts)\//.test(to)) return 'the program does not depend on its tests and scripts'
  const name = packageOf(to)
  const home = homes.get(name)
  if (!home) return `${name} has no home yet; give it one in test/project/architecture.ts`
  return home.some((place) => new Glob(place).match(from)) ? undefined : `the home of ${name} is ${home.join(', ')}`
}

function problemInside(from: string, to: string, typeOnly: boolean): string | undefined {
  if (from === to || mayImportAnything.has(from)) return undefined
  const allowed = mayImport.get(from)
  if (!allowed) return `the architecture knows no "${from}"`
  if (allowed.includes(to) || (typeOnly && (to === 'config' || allowed.includes(`${to} (types)`)))) return undefined
  return `${from} may import ${allowed.join(', ') || 'nothing of ours'}`
}

/** Problem of an import within the page; `from` and `to` are paths from its root. */
function problemInPage(from: string, to: string): string | undefined {
  const [fromPart = '', fromPage] = from.replace(/\.tsx?$/, '').split('/')
  const [toPart = '', toPage] = to.replace(/\.tsx?$/, '').split('/')
  if (fromPart === toPart) {
    return fromPart === 'pages' && fromPage !== toPage ? 'a page imports nothing of another page' : undefined
  }
  if (toPart === 'pages') return from === router ? undefined : 'nothing but the router imports pages'
  const allowed = pageParts.get(fromPart)
  if (!allowed) return `the architecture knows no "${fromPart}" of the page`
  return allowed.includes(toPart)
    ? undefined
    : `${fromPart} of the page may import ${allowed.join(', ') || 'nothing of it'}`
}

/** Part of a file: `src/sli/plan/plan.ts` is in `sli`, `src/log.ts` is `log`. */
function partOf(file: string): string {
  if (file.startsWith(arithmetic)) return 'arithmetic'
  if (file.startsWith(channelSchemas)) return 'channel-schemas'
  return (file.split('/')[1] ?? '').replace(/\.tsx?$/, '')
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
