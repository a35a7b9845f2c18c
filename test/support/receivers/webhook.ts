import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Received, type Receiver, startReceiver } from '../receiver.ts'

type Options = {
  format?: 'nines' | 'alertmanager'
  /** If set, the signature is checked, against the time `nowMs`. */
  secret?: string
  nowMs?: number
  /** Expected `Authorization` header. */
  authorization?: string
}

export type WebhookReceiver = Receiver & {
  /** Keys of alerts without a recovery so far. */
  open(): string[]
  /** Idempotency keys received. */
  taken: Set<string>
}

/**
 * A webhook receiver that checks the documented payload, the signature and the authorization. Answers 200; 401 if signature or
 * authorization is wrong; 400 with the list of errors in the payload.
 */
export function startWebhook(options: Options = {}): WebhookReceiver {
  const open = new Set<string>()
  const taken = new Set<string>()
  const receiver = startReceiver((request) => {
    if (!isAuthentic(request, options)) return Response.json({ error: 'unauthorized' }, { status: 401 })
    const wrong = options.format === 'alertmanager' ? wrongInV4(request) : wrongInNines(request)
    if (wrong.length > 0) return new Response(wrong.join('; '), { status: 400 })
    const { event } = request.json
    const idempotencyKey = request.headers.get('idempotency-key') ?? ''
    if (!taken.has(idempotencyKey)) {
      taken.add(idempotencyKey)
      const key = options.format === 'alertmanager' ? request.json.alerts[0].fingerprint : request.json.dedup_key
      if (event === 'recovery' || request.json.status === 'resolved') open.delete(key)
      else if (event !== 'message') open.add(key)
    }
    return new Response('thank you')
  })
  return { ...receiver, open: () => [...open], taken }
}

function isAuthentic({ headers, text }: Received, { secret, nowMs = Date.now(), authorization }: Options): boolean {
  if (authorization !== undefined && headers.get('authorization') !== authorization) return false
  if (secret === undefined) return true
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get('x-nines-signature') ?? '') ?? []
  if (t === '' || Math.abs(nowMs / 1000 - Number(t)) > 300) return false
  const expected = createHmac('sha256', secret).update(`${t}.${text}`).digest()
  return timingSafeEqual(expected, Buffer.from(v1, 'hex'))
}

function wrongInEnvelope({ method, headers }: Received): string[] {
  const wrong: string[] = []
  if (method !== 'POST') wrong.push('must be a POST')
  if (headers.get('content-type') !== 'application/json') wrong.push('must be JSON')
  if (!headers.get('idempotency-key')) wrong.push('no Idempotency-Key')
  if (!['alert', 'recovery', 'message'].includes(headers.get('x-nines-event') ?? '')) wrong.push('no X-Nines-Event')
  return wrong
}

function wrongInNines(request: Received): string[] {
  const { json, headers } = request
  const wrong = wrongInEnvelope(request)
  const check = (name: string, isRight: boolean) => void (isRight || wrong.push(name))
  check('version', json?.version === '1')
  if (wrong.length > 0) return wrong
  check('event', json.event === headers.get('x-nines-event'))
  check('id', json.id === null || Number.isInteger(json.id))
  check('idempotency_key', json.idempotency_key === headers.get('idempotency-key'))
  for (const key of ['dedup_key', 'thread', 'alert_type', 'subject', 'message']) check(key, isText(json[key]))
  check('priority', ['low', 'medium', 'high', 'critical'].includes(json.priority))
  check('created_at', isTime(json.created_at))
  check('slo', json.slo === null || (Number.isInteger(json.slo.id) && isText(json.slo.name)))
  check('budget', (json.slo === null) === (json.budget === null))
  check('alert', json.alert === null || (isText(json.alert.name) && isTime(json.alert.began_at)))
  check('links', json.slo === null ? json.links.slo === null : URL.canParse(json.links.slo))
  return wrong
}

/** Checks Alertmanager's documented payload. */
function wrongInV4(request: Received): string[] {
  const { json } = request
  const wrong = wrongInEnvelope(request)
  const check = (name: string, isRight: boolean) => void (isRight || wrong.push(name))
  check('version', json?.version === '4')
  if (wrong.length > 0) return wrong
  const isStatus = (status: unknown) => status === 'firing' || status === 'resolved'
  check('groupKey', isText(json.groupKey))
  check('truncatedAlerts', json.truncatedAlerts === 0)
  check('status', isStatus(json.status))
  check('receiver', isText(json.receiver))
  check('externalURL', URL.canParse(json.externalURL))
  for (const key of ['groupLabels', 'commonLabels']) check(key, areLabels(json[key]))
  check('commonAnnotations', areTexts(json.commonAnnotations))
  check('alerts', Array.isArray(json.alerts) && json.alerts.length === 1)
  for (const alert of json.alerts ?? []) {
    check('alerts.status', isStatus(alert.status) && alert.status === json.status)
    check('alerts.labels', areLabels(alert.labels) && isText(alert.labels.alertname))
    check('alerts.annotations', areTexts(alert.annotations))
    check('alerts.startsAt', isTime(alert.startsAt))
    check('alerts.endsAt', (alert.endsAt === '0001-01-01T00:00:00Z') === (alert.status === 'firing'))
    check('alerts.endsAt', Date.parse(alert.endsAt) >= Date.parse(alert.startsAt) || alert.status === 'firing')
    check('alerts.generatorURL', URL.canParse(alert.generatorURL))
    check('alerts.fingerprint', /^[0-9a-f]{16}$/.test(alert.fingerprint))
  }
  return wrong
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) && !Number.isNaN(Date.parse(value))
}

function areTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string')
}

function areLabels(value: unknown): boolean {
  return areTexts(value) && Object.keys(Object(value)).every((name) => /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
}
