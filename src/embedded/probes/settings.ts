import type { Seal } from '../../db/sealing/seal.ts'
import type { ProbeRow, ProbeType } from '../../db/tables/tables.ts'
import { type AppError, invalid, readAll } from '../../errors.ts'
import { originChange } from '../../http/endpoint-auth.ts'
import { isReservedHeader, withoutReserved } from '../../http/headers/request-headers.ts'
import { keepSecrets } from '../../http/secrets.ts'
import { isHttpUrl } from '../collection/fields-model.ts'
import { collectedOf } from '../collection/fields.ts'
import type { HttpSettings, Probe } from '../collection/target.ts'
import { readHostPort } from '../probing/connect.ts'
import { assertPattern } from '../probing/pattern.ts'
import { readSent, secrets } from './settings-model.ts'

/** Part of a probe that depends on its type: its target and settings. */
type TargetAndSettings = Pick<Probe, 'target'> & TypeAndSettings
type TypeAndSettings = { [T in ProbeType]: Pick<Extract<Probe, { type: T }>, 'type' | 'settings'> }[ProbeType]

export function assertType(type: string): ProbeType {
  if (type === 'http' || type === 'tcp' || type === 'dns') return type
  if (type === 'icmp' || type === 'ping') {
    throw invalid('type', 'must be http, tcp or dns: for ICMP nines would need privileges it does not take')
  }
  throw invalid('type', 'must be http, tcp or dns')
}

/**
 * Reads target and settings of a probe of this type. Settings that are not sent stay as before; sent settings replace them as a
 * whole. A masked value of a header keeps the stored value, unless the target has another origin than before. Throws `invalid`.
 */
export function readTargetAndSettings(
  type: ProbeType,
  target: string,
  sent: unknown,
  before: Probe | null,
): TargetAndSettings {
  const [, own] = readAll(
    () => assertTarget(type, target),
    () => readSettings(type, target, sent, before),
  )
  return { target, ...own }
}

function readSettings(type: ProbeType, target: string, sent: unknown, before: Probe | null): TypeAndSettings {
  if (type === 'http') {
    const stored = before?.type === 'http' ? before : null
    const move = stored && originChange(target, stored.target)
    if (sent === undefined && stored && move && Object.keys(stored.settings.headers).length > 0) {
      throw invalid('settings', `must be sent again for a target ${move}: there are headers among them`)
    }
    if (sent === undefined && stored) return { type, settings: stored.settings }
    const settings = readSent.http(sent === undefined ? {} : sent)
    const [, , , , withSecrets] = readAll(
      () => assertHeaders(Object.keys(settings.headers)),
      () => assertBody(settings),
      () => settings.bodyMatches !== null && assertPattern('settings.body_matches', settings.bodyMatches),
      () => settings.bodyMatchesNot !== null && assertPattern('settings.body_matches_not', settings.bodyMatchesNot),
      () => keepSecrets(settings, move ? null : (stored?.settings ?? null), secrets, noneStored),
    )
    return { type, settings: withSecrets.value }
  }
  if (type === 'tcp') {
    const settings =
      sent === undefined && before?.type === 'tcp' ? before.settings : readSent.tcp(sent === undefined ? {} : sent)
    return { type, settings }
  }
  const settings =
    sent === undefined && before?.type === 'dns' ? before.settings : readSent.dns(sent === undefined ? {} : sent)
  readAll(
    () => assertServer(settings.server),
    () => settings.expected !== null && assertPattern('settings.expected', settings.expected),
  )
  return { type, settings }
}

function assertBody({ method, body }: HttpSettings): void {
  if (body !== null && (method === 'GET' || method === 'HEAD')) {
    throw invalid('settings.body', `must be absent with ${method}`)
  }
}

function assertServer(server: string | null): void {
  if (server !== null && !readHostPort(server, 53)) throw invalid('settings.server', 'must be a host or host:port')
}

/** Probe of a row, unsealed, for the collector. */
export function openProbe(seal: Seal, row: ProbeRow): Probe {
  const { type, target } = row
  const settings = JSON.parse(seal.unseal(row.sealed_settings, 'probes.sealed_settings', row))
  const headers = type === 'http' ? { headers: withoutReserved(settings.headers) } : {}
  const { confirm, down_after: downAfter } = row
  return { ...collectedOf(row), target, confirm: confirm === 1, downAfter, type, settings: { ...settings, ...headers } }
}

const expectedTarget = {
  http: 'an http(s) URL without credentials and fragment',
  tcp: 'host:port, as in example.org:5432 or [::1]:22',
  dns: 'the name to resolve, as in example.org',
}

function assertTarget(type: ProbeType, target: string): void {
  const isGood = type === 'http' ? isHttpUrl(target) : type === 'tcp' ? readHostPort(target) !== null : isName(target)
  if (!isGood) throw invalid('target', `must be ${expectedTarget[type]}`)
}

/** True for a name of DNS: labels of 1 to 63 characters, which may begin with an underscore. */
function isName(text: string): boolean {
  return (
    text.length <= 254 &&
    /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i.test(text)
  )
}

function assertHeaders(names: string[]): void {
  const lower = names.map((name) => name.toLowerCase())
  if (new Set(lower).size < lower.length)
    throw invalid('settings.headers', 'must have each header once, in capitals or not')
  const reserved = lower.find(isReservedHeader)
  if (reserved) throw invalid('settings.headers', `must be given without ${reserved}, which nines sets itself`)
}

function noneStored(field: string): AppError {
  return invalid(`settings.${field}`, 'must be the value itself: none is stored for this target')
}
