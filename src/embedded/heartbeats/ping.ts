import type { ArrivedReport } from './keeper.ts'

type SentReport = Omit<ArrivedReport, 'atMs'>

/** A report as its URL says it. `secret`: a UUID, or a key beside a slug. `problem`: why it is refused, once its address is known. */
export type SentPing = { secret: string; slug?: string; report: SentReport; problem: string | null }

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const slugPattern = /^[a-z0-9_-]{1,100}$/
const maxSecretCharacters = 100

/** Reads `/ping/<uuid>[/<action>]` and `/ping/<key>/<slug>[/<action>]`; null: no such address. */
export function readPing(url: string): SentPing | null {
  const { parts, query } = readUrl(url, '/ping/')
  const [secret = '', ...rest] = parts
  const isUuid = uuidPattern.test(secret)
  const slug = isUuid ? undefined : rest.shift()
  const [action, ...more] = rest
  const report = reportOf(action)
  if (!report || more.length > 0 || secret.length > maxSecretCharacters || secret === '') return null
  if (!isUuid && (slug === undefined || !slugPattern.test(slug))) return null
  const runId = query.get('rid')
  const isValidId = runId === null || uuidPattern.test(runId)
  return {
    secret,
    ...(slug !== undefined && { slug }),
    report: { ...report, message: null, ...(runId !== null && { runId: runId.toLowerCase() }) },
    problem: isValidId ? null : 'invalid uuid format',
  }
}

function reportOf(action: string | undefined): Pick<SentReport, 'kind' | 'exitCode'> | null {
  if (action === undefined) return { kind: 'success', exitCode: null }
  if (action === 'start' || action === 'fail' || action === 'log') return { kind: action, exitCode: null }
  if (!/^\d{1,3}$/.test(action) || Number(action) > 255) return null
  return { kind: Number(action) === 0 ? 'success' : 'fail', exitCode: Number(action) }
}

const maxPushMessageCharacters = 250

/** Reads `/api/push/<token>?status=up|down&msg=…&ping=…`; any status but `up` is a failure. Null: no such address. */
export function readPush(url: string): SentPing | null {
  const { parts, query } = readUrl(url, '/api/push/')
  const [secret = '', ...more] = parts
  if (!uuidPattern.test(secret) || more.length > 0) return null
  const kind = (query.get('status') ?? 'up') === 'up' ? 'success' : 'fail'
  const pingMs = Number(query.get('ping') ?? NaN)
  const isTimed = query.get('ping') !== '' && pingMs >= 0 && pingMs <= 1e9
  const message = query.get('msg')?.slice(0, maxPushMessageCharacters) || null
  return {
    secret,
    report: { kind, exitCode: null, message, ...(isTimed && { durationMs: Math.round(pingMs) }) },
    problem: null,
  }
}

function readUrl(url: string, prefix: string): { parts: string[]; query: URLSearchParams } {
  const at = url.indexOf(prefix)
  const [path = '', query = ''] = url.slice(at + prefix.length).split('?', 2)
  return { parts: path.replace(/\/$/, '').split('/'), query: new URLSearchParams(query) }
}
