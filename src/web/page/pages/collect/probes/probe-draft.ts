import { draftOfTiming, freshTiming, type TimingDraft, timingNames, timingOf } from '../form/timing.ts'
import { type Auth, type AuthDraft, authOf, draftOfAuth } from '../form/auth.ts'
import { linesOf, readLines, readNumber } from '../form/lines.ts'
import type { Probe } from '../types.ts'
import { certificatesOf } from '../../../ui/form/certificates.ts'
import { withScheme } from '../../../ui/form/with-scheme.ts'

export type ProbeType = 'http' | 'icmp' | 'tcp' | 'dns'
export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SRV', 'CAA', 'PTR'] as const
export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const

/** A probe in its form. It holds the settings of all types; only those of its own type are sent. */
export type ProbeDraft = TimingDraft & {
  type: ProbeType
  target: string
  isPaused: boolean
  method: (typeof methods)[number]
  headers: string
  body: string
  expectedStatus: string
  bodyMatches: string
  bodyMatchesNot: string
  bodyContains: string
  bodyContainsNot: string
  headerMatches: string
  /** Conditions on a JSON body, one a line. */
  jsonConditions: string
  responseTime: string
  /** Without its headers: `headers` has them. */
  auth: AuthDraft
  followRedirects: boolean
  verifyCertificate: boolean
  tls: boolean
  server: string
  recordType: (typeof recordTypes)[number]
  expected: string
}

/** API fields of the values whose names differ from those in the API. */
export const probeNames = {
  ...timingNames,
  method: 'settings.method',
  headers: 'settings.headers',
  body: 'settings.body',
  expectedStatus: 'settings.expected_status',
  bodyMatches: 'settings.body_matches',
  bodyMatchesNot: 'settings.body_matches_not',
  bodyContains: 'settings.body_contains',
  bodyContainsNot: 'settings.body_contains_not',
  headerMatches: 'settings.header_matches',
  jsonConditions: 'settings.json_conditions',
  responseTime: 'settings.response_time_below_ms',
  auth: 'settings.auth',
  followRedirects: 'settings.follow_redirects',
  verifyCertificate: 'settings.verify_certificate',
  tls: 'settings.tls',
  server: 'settings.server',
  recordType: 'settings.record_type',
  expected: 'settings.expected',
}

/** Settings of any probe type, as the server presents them. */
type Settings = Partial<{
  method: ProbeDraft['method']
  headers: Record<string, string>
  body: string | null
  expected_status: number[]
  body_matches: string | null
  body_matches_not: string | null
  body_contains: string | null
  body_contains_not: string | null
  header_matches: Record<string, string>
  json_conditions: string[]
  response_time_below_ms: number | null
  auth: Auth
  follow_redirects: boolean
  verify_certificate: boolean
  tls: boolean
  server: string | null
  record_type: ProbeDraft['recordType']
  expected: string | null
}>

export function draftOfProbe(probe: Probe | null, type: ProbeType): ProbeDraft {
  const settings = (probe?.settings ?? {}) as Settings
  return {
    ...(probe ? draftOfTiming(probe) : freshTiming),
    type: (probe?.type as ProbeType | undefined) ?? type,
    target: probe?.target ?? '',
    isPaused: probe?.is_active === false,
    method: settings.method ?? 'GET',
    headers: linesOf(settings.headers ?? {}, ':'),
    body: settings.body ?? '',
    expectedStatus: (settings.expected_status ?? []).join(', '),
    bodyMatches: settings.body_matches ?? '',
    bodyMatchesNot: settings.body_matches_not ?? '',
    bodyContains: settings.body_contains ?? '',
    bodyContainsNot: settings.body_contains_not ?? '',
    headerMatches: linesOf(settings.header_matches ?? {}, ':'),
    jsonConditions: (settings.json_conditions ?? []).join('\n'),
    responseTime: String(settings.response_time_below_ms ?? ''),
    auth: draftOfAuth(settings.auth ?? null),
    followRedirects: settings.follow_redirects ?? true,
    verifyCertificate: settings.verify_certificate ?? true,
    tls: settings.tls ?? false,
    server: settings.server ?? '',
    recordType: settings.record_type ?? 'A',
    expected: settings.expected ?? '',
  }
}

/** Request body of a probe. Throws `FieldProblem` for an invalid field. */
export function bodyOfProbe(draft: ProbeDraft): object {
  const { type, target, isPaused } = draft
  const address = type === 'http' ? withScheme(target) : target.trim()
  return { ...timingOf(draft), type, target: address, is_active: !isPaused, settings: settingsOf(draft) }
}

function settingsOf(draft: ProbeDraft): object {
  if (draft.type === 'tcp') {
    const tls = draft.tls ? certificatesOf(draft.auth) : null
    return { tls: draft.tls, auth: tls && { tls }, verify_certificate: draft.verifyCertificate }
  }
  if (draft.type === 'icmp') return {}
  if (draft.type === 'dns') {
    return { server: orNull(draft.server), record_type: draft.recordType, expected: orNull(draft.expected) }
  }
  const statuses = draft.expectedStatus.split(/[\s,]+/).filter(Boolean)
  return {
    method: draft.method,
    headers: readLines(draft.headers, ':', 'settings.headers'),
    body: draft.body === '' ? null : draft.body,
    expected_status: statuses.map((status) => readNumber(status, 'settings.expected_status')),
    body_matches: orNull(draft.bodyMatches),
    body_matches_not: orNull(draft.bodyMatchesNot),
    body_contains: orNull(draft.bodyContains),
    body_contains_not: orNull(draft.bodyContainsNot),
    header_matches: readLines(draft.headerMatches, ':', 'settings.header_matches'),
    json_conditions: conditionsOf(draft),
    response_time_below_ms:
      draft.responseTime.trim() === '' ? null : readNumber(draft.responseTime, 'settings.response_time_below_ms'),
    auth: authOf(draft.auth),
    follow_redirects: draft.followRedirects,
    verify_certificate: draft.verifyCertificate,
  }
}

function conditionsOf({ jsonConditions }: Pick<ProbeDraft, 'jsonConditions'>): string[] {
  return jsonConditions
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

/** True if the probe has stored credentials; headers aside. */
export function isAuthStored(probe: Probe | null): boolean {
  const { auth = null } = (probe?.settings ?? {}) as Settings
  return auth !== null
}

/** True if the probe has stored secrets, which only the server has. */
export function hasSecrets(probe: Probe): boolean {
  const { headers = {} } = probe.settings as Settings
  return isAuthStored(probe) || Object.keys(headers).length > 0
}
