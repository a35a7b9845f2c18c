import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import type { Refusal } from './refusal.ts'

export type Opsgenie = Receiver & {
  /** Aliases of open alerts. */
  open(): string[]
  /** Aliases of all alerts created so far, in order. Repeating an open alert does not create one. */
  created(): string[]
  /** Aliases of open alerts that are acknowledged. */
  acknowledged(): string[]
  /** Closes an alert, as a user would. */
  closeByHand(alias: string): void
  /** Hides new alerts until they have been looked up this many times. */
  delayAlerts(lookUps: number): void
}

/** Credentials that the receivers expect. */
export const genie = { mode: 'genie', api_key: 'eb243592-faa2-4ba2-a551-1afdf565c889' } as const
export const jsm = {
  mode: 'jsm',
  cloud_id: '35273b54-3f06-40d2-880f-dd28cf8daafa',
  email: 'ops@example.com',
  api_token: 'ATATT3xFfGF0T0123456789',
} as const

const answered = (status: number, headers: Record<string, string> = {}) => {
  return { status, headers, body: { message: 'no', took: 0.1, requestId: 'r' } }
}

/** Documented answers other than success, of both APIs. Source: docs.opsgenie.com/docs/response. */
export const opsgenieRefusals = {
  bad_request: { ...answered(400), outcome: 'failed' },
  unauthorized: { ...answered(401), outcome: 'failed' },
  payment_required: { ...answered(402), outcome: 'failed' },
  forbidden: { ...answered(403), outcome: 'failed' },
  not_found: { ...answered(404), outcome: 'failed' },
  unprocessable: { ...answered(422), outcome: 'failed' },
  too_many: { ...answered(429), outcome: 'retry' },
  too_many_in_period: {
    ...answered(429, { 'x-ratelimit-period-in-sec': '12' }),
    outcome: 'retry',
    retryAfterMs: 12_000,
  },
  too_many_until: { ...answered(429, { 'retry-after': '9' }), outcome: 'retry', retryAfterMs: 9000 },
  server_error: { ...answered(500, { 'x-ratelimit-period-in-sec': '60' }), outcome: 'retry' },
  unavailable: { ...answered(503, { 'retry-after': '9' }), outcome: 'retry', retryAfterMs: 9000 },
} as const satisfies Record<string, Refusal>

/** Opsgenie's Alert API v2 with its rules (docs.opsgenie.com/docs/alert-api). */
export function startOpsgenie(): Opsgenie {
  return start('/v2/alerts', `GenieKey ${genie.api_key}`, 'details')
}

/** The Operations API of Jira Service Management: an alert is closed by its id only, and the id is looked up by alias. */
export function startOpsgenieJsm(): Opsgenie {
  const credentials = Buffer.from(`${jsm.email}:${jsm.api_token}`).toString('base64')
  return start(`/jsm/ops/api/${jsm.cloud_id}/v1/alerts`, `Basic ${credentials}`, 'extraProperties')
}

type Alert = { id: string; alias: string; status: 'open' | 'closed'; isAcknowledged: boolean; hiddenFor: number }

function start(root: string, authorization: string, properties: 'details' | 'extraProperties'): Opsgenie {
  const alerts: Alert[] = []
  const isJsm = properties === 'extraProperties'
  let hiddenFor = 0
  const openOne = (known: (alert: Alert) => boolean) => alerts.find((alert) => alert.status === 'open' && known(alert))

  function answer(request: Received): Response {
    const { method, path, headers } = request
    if (!path.startsWith(root)) return refusal(404, 'No such resource')
    if (headers.get('authorization') !== authorization) return refusal(401, 'Could not authenticate')
    const rest = new URL(path.slice(root.length), 'http://below')
    const [, named, action] = /^\/([^/]+)\/(close|acknowledge)$/.exec(rest.pathname) ?? []
    if (isJsm && method === 'GET' && rest.pathname === '/alias') return lookUp(rest.searchParams.get('alias'))
    if (method !== 'POST') return refusal(405, 'Method not allowed')
    if (path === root) return create(request)
    if (named === undefined) return refusal(404, 'No such resource')
    if (!isJsm && rest.searchParams.get('identifierType') !== 'alias') return refusal(404, 'No alert with this id')
    const wrong = wrongInAction(request, isJsm)
    if (wrong.length > 0) return refusal(422, wrong.join('; '))
    const name = decodeURIComponent(named)
    const found = openOne(({ id, alias }) => name === (isJsm ? id : alias))
    if (isJsm && !found) return refusal(404, 'Alert not found')
    if (found && action === 'close') found.status = 'closed'
    else if (found) found.isAcknowledged = true
    return accepted()
  }

  function create(request: Received): Response {
    const wrong = wrongIn(request, properties)
    if (wrong.length > 0) return refusal(422, wrong.join('; '))
    const { alias } = request.json
    if (!openOne((alert) => alert.alias === alias)) {
      alerts.push({ id: crypto.randomUUID(), alias, status: 'open', isAcknowledged: false, hiddenFor })
    }
    return accepted()
  }

  function lookUp(alias: string | null): Response {
    const found = alerts.findLast((alert) => alert.alias === alias)
    if (!found || found.hiddenFor-- > 0) return refusal(404, 'Alert not found')
    return Response.json({ id: found.id, alias, status: found.status })
  }

  return {
    ...startReceiver(answer),
    open: () => alerts.filter(({ status }) => status === 'open').map(({ alias }) => alias),
    created: () => alerts.map(({ alias }) => alias),
    acknowledged: () =>
      alerts.filter((alert) => alert.status === 'open' && alert.isAcknowledged).map(({ alias }) => alias),
    closeByHand: (alias) => void Object.assign(openOne((alert) => alert.alias === alias) ?? {}, { status: 'closed' }),
    delayAlerts: (lookUps) => void (hiddenFor = lookUps),
  }
}

function accepted(): Response {
  const body = { result: 'Request will be processed', took: 0.302, requestId: '43a29c5c-3dbf-4fa4-9c26-f4f71023e120' }
  return Response.json(body, { status: 202 })
}

function refusal(status: number, message: string): Response {
  return Response.json({ message, took: 0.001, requestId: '43a29c5c-3dbf-4fa4-9c26-f4f71023e120' }, { status })
}

const known = new Set(
  'message alias description responders visibleTo actions tags entity source priority user note'.split(' '),
)
const types = new Set(['team', 'user', 'escalation', 'schedule'])

function wrongIn({ headers, json }: Received, properties: 'details' | 'extraProperties'): string[] {
  if (headers.get('content-type') !== 'application/json' || !isObject(json)) return ['Request body is not processable']
  const wrong: string[] = []
  const check = (name: string, isRight: boolean) => void (isRight || wrong.push(`${name} is invalid`))
  for (const key of Object.keys(json)) check(key, known.has(key) || key === properties)
  const limits = { alias: 512, description: 15_000, entity: 512, source: 100, user: 100, note: 25_000 }
  check('message', isText(json.message, 130))
  for (const [key, max] of Object.entries(limits)) check(key, json[key] === undefined || isText(json[key], max))
  check('priority', json.priority === undefined || /^P[1-5]$/.test(json.priority))
  check(
    'tags',
    json.tags === undefined || (json.tags.length <= 20 && json.tags.every((tag: unknown) => isText(tag, 50))),
  )
  const details = json[properties] ?? {}
  check(properties, isObject(details) && Object.values(details).every((value) => typeof value === 'string'))
  check(properties, Object.entries(details).flat().join('').length <= 8000)
  for (const responder of json.responders ?? []) {
    const { type, id, name, username } = responder
    const isNamed = properties === 'details' && isText(type === 'user' ? username : name, 200)
    check('responders', types.has(type) && (isText(id, 200) || isNamed))
  }
  return wrong
}

function wrongInAction({ headers, text, json }: Received, isJsm: boolean): string[] {
  if (isJsm) return text === '' ? [] : ['must be no body']
  if (headers.get('content-type') !== 'application/json' || !isObject(json)) return ['Request body is not processable']
  const limits = { source: 100, user: 100, note: 25_000 }
  return Object.entries(json).flatMap(([key, value]) =>
    key in limits && isText(value, limits[key as keyof typeof limits]) ? [] : [`${key} is invalid`],
  )
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= max
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
