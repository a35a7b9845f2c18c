import { connect } from 'node:net'
import { now, type FanOutLoad } from './pace.ts'
import { percentile } from '../support/load.ts'

/** Messages to and from the clients: first they report that they listen, and on `report` what they received. */
export type ToClients = { url: string; tokens: string[]; load: FanOutLoad } | 'report'
export type FromClients =
  'listening' | { delivered: number; outOfOrder: number; p50Ms: number; p99Ms: number; maxMs: number }

type Message = { type: string; data: { slo_id: number; current_value: number; error_budget_used: number } }

const latencies: number[] = []
let outOfOrder = 0

process.on('message', (message: ToClients) => {
  if (message === 'report') report()
  else void listen(message)
})

async function listen({ url, tokens, load }: Exclude<ToClients, 'report'>): Promise<void> {
  const { connections, subscriptionsEach, slos } = load
  for (let first = 0; first < connections; first += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const place = first + n
        const ids = Array.from({ length: subscriptionsEach }, (_, at) => ((place * subscriptionsEach + at) % slos) + 1)
        return join(url, tokens[place % Math.max(1, tokens.length - 1)], ids)
      }),
    )
  }
  await joinDeaf(url, tokens.at(-1), slos)
  process.send?.('listening' satisfies FromClients)
}

/** Subscribes a client to SLOs; resolves once every subscription is confirmed. */
function join(url: string, token: string | undefined, ids: number[]): Promise<void> {
  const heard = new Map<number, number>()
  let missing = ids.length
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws/subscribe`, {
    headers: { authorization: `Bearer ${token}` },
  })
  socket.addEventListener('open', () => {
    for (const slo_id of ids) socket.send(JSON.stringify({ type: 'subscribe', data: { slo_id } }))
  })
  socket.addEventListener('close', ({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)))
  socket.addEventListener('message', (event) => {
    const { type, data } = JSON.parse(String(event.data)) as Message
    if (type === 'slo_update') {
      latencies.push(now() - data.error_budget_used)
      if (data.current_value !== (heard.get(data.slo_id) ?? 0) + 1) outOfOrder += 1
      heard.set(data.slo_id, data.current_value)
    } else if ((missing -= 1) === 0) resolve()
  })
  return promise
}

/** Subscribes to every SLO, and stops reading once that is confirmed. */
function joinDeaf(url: string, token: string | undefined, slos: number): Promise<void> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13'
  const head = `Host: ${host}\r\n${upgrade}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer ${token}`
  socket.write(`GET /api/v1/ws/subscribe HTTP/1.1\r\n${head}\r\n\r\n`)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let said = ''
  let isOpen = false
  socket.on('data', (bytes) => {
    said += bytes.toString('latin1')
    if (!isOpen && said.includes('\r\n\r\n')) {
      isOpen = true // not earlier: data sent with the handshake may be lost
      for (let id = 1; id <= slos; id += 1) {
        const text = JSON.stringify({ type: 'subscribe', data: { slo_id: id } })
        socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]))
      }
    }
    if (said.split('subscription_confirmed').length <= slos) return
    socket.pause()
    resolve()
  })
  socket.on('close', () => reject(new Error(`closed after ${said.slice(0, 200)}`)))
  return promise
}

function report(): void {
  const heard: FromClients = {
    delivered: latencies.length,
    outOfOrder,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    maxMs: percentile(latencies, 100),
  }
  process.send?.(heard)
}
