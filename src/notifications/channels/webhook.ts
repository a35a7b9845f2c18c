import { createHmac } from 'node:crypto'
import { alertmanagerPayload } from './alertmanager.ts'
import { defineChannel, type Given } from './channel.ts'
import { headers, httpUrl, line, oneOf, required, wrong } from './configuration.ts'
import { exchange, outcomeOf } from './http.ts'
import { ninesPayload } from './webhook-payloads.ts'

type Configuration = {
  webhook_url: string
  format: 'nines' | 'alertmanager'
  headers?: Record<string, string>
  secret?: string
}

/**
 * POSTs JSON to a URL: `ninesPayload`, or `alertmanagerPayload` with `format: alertmanager`. Any 2xx is an
 * acknowledgement; redirects are not followed and fail. Headers: those configured (Authorization, say),
 * `Idempotency-Key` (the same at every attempt), `X-Nines-Event` (alert, recovery, message) and, with a `secret`,
 * `X-Nines-Signature: t=<Unix seconds>,v1=<hex>`. To verify it: refuse a `t` more than five minutes away, take the
 * HMAC-SHA256 of `<t>.<body>` with the secret (its UTF-8, and the body's bytes as they came, before they are parsed), and
 * compare it with `v1` in constant time.
 */
export const webhook = defineChannel<Configuration>({
  product: null,
  read(given) {
    const secret = line()(given, 'secret')
    const own = ownHeaders(given)
    return {
      webhook_url: required(given, 'webhook_url', httpUrl, 'must be the http(s) URL to send to'),
      format: oneOf('nines', 'alertmanager')(given, 'format') ?? 'nines',
      ...(own && { headers: own }),
      ...(secret !== undefined && { secret }),
    }
  },
  secrets: ['webhook_url', 'headers', 'secret'],
  destinations: ['webhook_url'],
  opensIncidents: false,
  async send(deps, { webhook_url, format, secret, headers: configured = {} }, message, signal) {
    const payload = format === 'nines' ? ninesPayload(message) : alertmanagerPayload(message, deps)
    const body = JSON.stringify(payload)
    const sent = {
      ...configured,
      'idempotency-key': message.idempotencyKey,
      'x-nines-event': message.event,
      ...(secret !== undefined && { 'x-nines-signature': signature(secret, body, deps.clock.now()) }),
    }
    const result = await exchange(deps, webhook_url, { body, headers: sent }, signal)
    return 'broken' in result ? result.broken : outcomeOf(result.answer, deps)
  },
})

function ownHeaders(given: Given) {
  const own = headers(given, 'headers')
  const ours = Object.keys(own ?? {}).find((name) => /^x-nines-/i.test(name))
  if (ours !== undefined) throw wrong('headers', `must be given without ${ours}, which nines sets itself`)
  return own
}

function signature(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
