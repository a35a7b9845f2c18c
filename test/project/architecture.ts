import { Glob } from 'bun'
import type { Import } from './imports.ts'

/**
 * "Who may import whom" of the architecture: a part of `src` (a folder, or a file at its top) and the parts it may import.
 * `(types)` allows `import type` only. Its own part, and types of `config`, are always allowed.
 */
const ground = [
  'errors',
  'clock',
  'log',
  'metrics',
  'cidr',
  'lane',
  'role',
  'mail',
  'origin',
  'batches',
  'quotas',
  'concurrency',
]
const below = [...ground, 'db', 'http']
const features = ['auth', 'slos', 'tsdb', 'embedded', 'cache', 'notifications', 'status', 'ui']
const mayImport = new Map<string, string[]>([
  ['errors', []],
  ['clock', []],
  ['log', []],
  ['metrics', []],
  ['cidr', []],
  ['lane', []],
  ['concurrency', ['errors', 'clock']],
  ['batches', []],
  ['role', []],
  ['mail', ['log']],
  ['origin', []],
  ['quotas', ['errors']],
  ['setting-values', ['cidr']],
  ['config', ['log', 'setting-values', 'quotas']], // its values; to everyone else it is ground by its types
  ['db', ground],
  ['http', ground],
  ...features.map((feature): [string, string[]] => [feature, below]),
  ['tsdb', [...below, 'slos', 'cache', 'embedded']],
  ['notifications', [...below, 'slos', 'tsdb (types)']],
  ['status', [...below, 'slos']],
  ['realtime', [...ground, 'http']],
  ['jobs', [...below, ...features, 'realtime']],
])
const mayImportAnything = new Set(['cli', 'app', 'server', 'main', 'worker'])

/** "One third-party package, one home": where each may be imported. */
const homes = new Map<string, string[]>([
  ['@elysiajs/cors', ['src/server.ts', 'src/http/**']],
  ['@elysiajs/jwt', ['src/auth/tokens.ts']],
  ['@elysiajs/openapi', ['src/http/openapi.ts']],
  ['@prometheus-io/lezer-promql', ['src/embedded/promql/read.ts']],
  ['better-sqlite3', ['src/db/sqlite.ts']],
  ['croner', ['src/jobs/**']],
  ['elysia', ['src/server.ts', 'src/http/**', 'src/**/{routes,*-routes,model,*-model,messages,socket}.ts']],
  ['fflate', ['src/cache/**']],
  ['kysely', ['src/db/**', 'src/**/{store,*-store}.ts']],
  ['lru-cache', ['src/cache/**', 'src/auth/tokens.ts']],
  ['nodemailer', ['src/mail.ts', 'src/notifications/channels/email.ts']],
  ['prom-client', ['src/metrics.ts']],
  ['re2js', ['src/embedded/regex.ts']],
  ['swagger-ui-dist', ['src/ui/reference-routes.ts']],
])
const embeddedFiles = new Set(['schema.sql', 'package.json', 'THIRD-PARTY-NOTICES.txt'])

/** One readable line for each import that breaks a rule. */
export function violations(imports: Import[]): string[] {
  return imports.flatMap((one) => {
    const wrong = problemOf(one)
    return wrong ? [`${one.from} imports ${one.to}: ${wrong}`] : []
  })
}

function problemOf({ from, to, typeOnly }: Import): string | undefined {
  if (/^(node|bun):|^bun$/.test(to)) return undefined
  if (to.startsWith('src/')) return problemInside(partOf(from), partOf(to), typeOnly)
  if (to.startsWith('..')) return 'it lies outside the project'
  if (embeddedFiles.has(to)) return undefined
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

/** `src/tsdb/plan.ts` is part of `tsdb`, `src/log.ts` is `log`. */
function partOf(file: string): string {
  return (file.split('/')[1] ?? '').replace(/\.ts$/, '')
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
