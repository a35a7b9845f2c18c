import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import type { Refusal } from './refusal.ts'

export type PagerDuty = Receiver & {
  /** Dedup keys of open incidents. */
  open(): string[]
  /** Dedup keys of all incidents opened so far, in order. After a resolve the same key opens a new one. */
  opened: string[]
  /** Dedup keys of open incidents that are acknowledged. */
  acknowledged(): string[]
}

/** Integration key that `startPagerDuty` accepts. */
export const routingKey = 'R0123456789abcdefghijklmnopqrstu'

const answered = (status: number, headers: Record<string, string> = {}) => {
  return { status, headers, body: { status: 'error', message: 'no', errors: [] } }
}

/** Documented answers other than success. Source: developer.pagerduty.com/docs/events-api-v2. */
export const pagerdutyRefusals = {
  bad_request: { ...answered(400), outcome: 'failed' },
  forbidden: { ...answered(403), outcome: 'failed' },
  not_found: { ...answered(404), outcome: 'failed' },
  too_many: { ...answered(429), outcome: 'retry', retryAfterMs: 30_000 },
  too_many_until: { ...answered(429, { 'retry-after': '7' }), outcome: 'retry', retryAfterMs: 7000 },
  server_error: { ...answered(500), outcome: 'retry' },
  bad_gateway: { ...answered(502), outcome: 'retry' },
  unavailable: { ...answered(503, { 'retry-after': '90' }), outcome: 'retry', retryAfterMs: 90_000 },
  gateway_timeout: { ...answered(504), outcome: 'retry' },
} as const satisfies Record<string, Refusal>

/** PagerDuty's Events API v2 with its rules (developer.pagerduty.com/docs/events-api-v2): 202, or 400 with the errors. */
export function startPagerDuty(): PagerDuty {
  const open = new Set<string>()
  const opened: string[] = []
  const acknowledged = new Set<string>()
  const receiver = startReceiver((request) => {
    if (request.method !== 'POST' || request.path !== '/v2/enqueue') return new Response('Not Found', { status: 404 })
    if (Buffer.byteLength(request.text) > 512 * 1024) return refusal(413, 'Event object is too large', [])
    const errors = wrongIn(request)
    if (errors.length > 0) return refusal(400, 'Event object is invalid', errors)
    const { event_action: action, dedup_key: key = crypto.randomUUID() } = request.json
    if (action === 'resolve') {
      open.delete(key)
      acknowledged.delete(key)
    } else if (action === 'acknowledge' && open.has(key)) acknowledged.add(key)
    else if (action === 'trigger' && !open.has(key)) {
      open.add(key)
      opened.push(key)
    }
    return Response.json({ status: 'success', message: 'Event processed', dedup_key: key }, { status: 202 })
  })
  return { ...receiver, open: () => [...open], opened, acknowledged: () => [...acknowledged] }
}

function refusal(status: number, message: string, errors: string[]): Response {
  return Response.json({ status: 'invalid event', message, errors }, { status })
}

const known = new Set('routing_key event_action dedup_key payload links images client client_url'.split(' '))
const knownInPayload = new Set('summary source severity timestamp component group class custom_details'.split(' '))

function wrongIn({ headers, json }: Received): string[] {
  if (!headers.get('content-type')?.startsWith('application/json')) return ['content type must be application/json']
  if (typeof json !== 'object' || json === null) return ['JSON is missing']
  const errors: string[] = []
  const check = (isRight: boolean, error: string) => void (isRight || errors.push(error))
  check(
    Object.keys(json).every((key) => known.has(key)),
    'unknown fields',
  )
  check(String(json.routing_key).length === 32, "Length of 'routing_key' is incorrect (should be 32 characters)")
  check(json.routing_key === routingKey, "'routing_key' is of no integration")
  check(['trigger', 'acknowledge', 'resolve'].includes(json.event_action), "'event_action' is invalid")
  check(json.dedup_key === undefined || isText(json.dedup_key, 255), "'dedup_key' is invalid")
  if (json.event_action !== 'trigger') {
    check(json.dedup_key !== undefined, "'dedup_key' is missing or blank")
    return errors
  }
  const { payload = {}, links = [], client, client_url } = json
  check(
    Object.keys(payload).every((key) => knownInPayload.has(key)),
    "unknown fields in 'payload'",
  )
  check(isText(payload.summary, 1024), "'payload.summary' is missing, blank or too long")
  check(isText(payload.source), "'payload.source' is missing or blank")
  check(['critical', 'error', 'warning', 'info'].includes(payload.severity), "'payload.severity' is invalid")
  check(payload.timestamp === undefined || isTime(payload.timestamp), "'payload.timestamp' is invalid")
  for (const key of ['component', 'group', 'class']) {
    check(payload[key] === undefined || isText(payload[key]), `'payload.${key}' is invalid`)
  }
  check(payload.custom_details === undefined || isObject(payload.custom_details), "'payload.custom_details' is invalid")
  check(Array.isArray(links) && links.every(isLink), "'links' is invalid")
  check(client === undefined || isText(client), "'client' is invalid")
  check(client_url === undefined || URL.canParse(client_url), "'client_url' is invalid")
  return errors
}

function isText(value: unknown, max = 10_000): boolean {
  return typeof value === 'string' && value !== '' && value.length <= max
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLink(link: { href?: unknown; text?: unknown }): boolean {
  return typeof link.href === 'string' && URL.canParse(link.href) && (link.text === undefined || isText(link.text))
}
