import { isIP } from 'node:net'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ProbeRow, ProbeType } from '../../db/tables/tables.ts'
import { type AppError, invalid, readAll } from '../../errors.ts'
import { originChange } from '../../http/endpoint-auth.ts'
import { assertPair, assertTls } from '../../http/endpoint-tls.ts'
import { isReservedHeader, withoutReserved } from '../../http/headers/request-headers.ts'
import { keepSecrets } from '../../http/secrets.ts'
import { isHttpUrl } from '../collection/fields-model.ts'
import { collectedOf } from '../collection/fields.ts'
import type { HttpSettings, Probe, TcpSettings } from '../collection/target.ts'
import { readHostPort } from '../probing/connect.ts'
import { assertPattern } from '../probing/pattern.ts'
import { readJsonCondition } from '../probing/json-condition.ts'
import { conditionForm, httpDefaults, readSent, secrets, tcpDefaults } from './settings-model.ts'

/** Part of a probe that depends on its type: its target and settings. */
type TargetAndSettings = Pick<Probe, 'target'> & TypeAndSettings
type TypeAndSettings = { [T in ProbeType]: Pick<Extract<Probe, { type: T }>, 'type' | 'settings'> }[ProbeType]

export function assertType(type: string): ProbeType {
  if (type === 'http' || type === 'tcp' || type === 'dns' || type === 'icmp') return type
  throw invalid('type', 'must be http, tcp, dns or icmp')
}

/**
 * Reads target and settings of a probe of this type. Settings that are not sent stay as before; sent settings replace them as a
 * whole. A masked secret keeps the stored one, unless the target has another origin than before. Throws `invalid`.
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
    const changeOfOrigin = stored && originChange(target, stored.target)
    const held = stored && heldSecrets(stored.settings)
    if (sent === undefined && changeOfOrigin && held) {
      throw invalid('settings', `must be sent again: stored ${held} are not sent to a target ${changeOfOrigin}`)
    }
    if (sent === undefined && stored) return { type, settings: stored.settings }
    const settings = readSent.http(sent === undefined ? {} : sent)
    const [, , , , , withSecrets] = readAll(
      () => assertHeaders(settings),
      () => assertBody(settings),
      () => settings.bodyMatches !== null && assertPattern('settings.body_matches', settings.bodyMatches),
      () => settings.bodyMatchesNot !== null && assertPattern('settings.body_matches_not', settings.bodyMatchesNot),
      () => assertConditions(settings),
      () => keepSecrets(settings, changeOfOrigin ? null : (stored?.settings ?? null), secrets, noneStored),
    )
    const { auth } = withSecrets.value
    if (auth?.tls) assertTls(auth.tls, 'settings.auth.tls', target)
    return { type, settings: withSecrets.value }
  }
  if (type === 'tcp') {
    return { type, settings: readTcp(target, sent, before?.type === 'tcp' ? before : null) }
  }
  if (type === 'icmp') return { type, settings: readSent.icmp(sent === undefined ? {} : sent) }
  const settings =
    sent === undefined && before?.type === 'dns' ? before.settings : readSent.dns(sent === undefined ? {} : sent)
  readAll(
    () => assertServer(settings.server),
    () => settings.expected !== null && assertPattern('settings.expected', settings.expected),
  )
  return { type, settings }
}

function readTcp(target: string, sent: unknown, stored: Extract<Probe, { type: 'tcp' }> | null): TcpSettings {
  const isMoved = stored && target !== stored.target
  if (sent === undefined && isMoved && stored.settings.auth) {
    throw invalid('settings', 'must be sent again: stored credentials are not sent to another target')
  }
  if (sent === undefined && stored) return stored.settings
  const settings = readSent.tcp(sent === undefined ? {} : sent)
  const { value } = keepSecrets(settings, isMoved ? null : (stored?.settings ?? null), secrets, noneStored)
  if (value.auth?.tls && !value.tls) throw invalid('settings.auth.tls', 'needs settings.tls: true')
  if (value.auth?.tls) assertPair(value.auth.tls, 'settings.auth.tls')
  return value
}

/** Secrets of a probe, in words; null without any. */
function heldSecrets({ headers, auth }: HttpSettings): string | null {
  if (auth) return 'credentials'
  return Object.keys(headers).length > 0 ? 'headers' : null
}

function assertConditions({ headerMatches, jsonConditions }: HttpSettings): void {
  readAll(
    ...Object.entries(headerMatches).map(
      ([name, pattern]) =>
        () =>
          assertPattern(`settings.header_matches.${name}`, pattern),
    ),
    () => {
      const wrong = jsonConditions.find((condition) => !readJsonCondition(condition))
      if (wrong === undefined) return
      throw invalid(
        'settings.json_conditions',
        `must each be ${conditionForm}; not ${wrong.slice(0, 100).toWellFormed()}`,
      )
    },
  )
}

function assertBody({ method, body }: HttpSettings): void {
  if (body !== null && (method === 'GET' || method === 'HEAD')) {
    throw invalid('settings.body', `cannot be sent with the method ${method}`)
  }
}

function assertServer(server: string | null): void {
  if (server !== null && !readHostPort(server, 53)) throw invalid('settings.server', 'must be a host or host:port')
}

/** Probe of a row, unsealed, for the collector. */
export function openProbe(seal: Seal, row: ProbeRow): Probe {
  const { type, target } = row
  const settings = JSON.parse(seal.unseal(row.sealed_settings, 'probes.sealed_settings', row))
  const [defaults, headers] =
    type === 'http'
      ? [httpDefaults, { headers: withoutReserved(settings.headers) }]
      : [type === 'tcp' ? tcpDefaults : {}]
  const { confirm, down_after: downAfter } = row
  return {
    ...collectedOf(row),
    target,
    confirm: confirm === 1,
    downAfter,
    type,
    settings: { ...defaults, ...settings, ...headers },
  }
}

const expectedTarget = {
  http: 'an http(s) URL without credentials and fragment',
  tcp: 'host:port, as in example.org:5432 or [::1]:22',
  dns: 'the name to resolve, as in example.org',
  icmp: 'a host or an address, as in example.org or 192.0.2.1',
}

function assertTarget(type: ProbeType, target: string): void {
  if (!isTarget[type](target)) throw invalid('target', `must be ${expectedTarget[type]}`)
}

/** True for a name of DNS: labels of 1 to 63 characters, which may begin with an underscore. */
function isName(text: string): boolean {
  return (
    text.length <= 254 &&
    /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i.test(text)
  )
}

const isTarget: Record<ProbeType, (target: string) => boolean> = {
  http: isHttpUrl,
  tcp: (target) => readHostPort(target) !== null,
  dns: isName,
  icmp: (target) => isName(target) || (isIP(target) !== 0 && !target.includes('%')),
}

function assertHeaders({ headers, auth }: HttpSettings): void {
  const lower = Object.keys(headers).map((name) => name.toLowerCase())
  if (new Set(lower).size < lower.length)
    throw invalid('settings.headers', 'must have each header once; capitals make no difference')
  if (auth?.basic && auth.bearer) throw invalid('settings.auth', 'must be basic or bearer, not both')
  if ((auth?.basic || auth?.bearer) && lower.includes('authorization')) {
    throw invalid('settings.headers', 'cannot have Authorization beside settings.auth')
  }
  const reserved = lower.find(isReservedHeader)
  if (reserved) throw invalid('settings.headers', `cannot have ${reserved}, which nines sets itself`)
}

function noneStored(field: string): AppError {
  return invalid(`settings.${field}`, 'must be the value itself, not its mask: none is stored for this target')
}
