import { connect } from 'node:net'
import { type Evaluation, putEvaluations } from '../../src/evaluation/evaluation-store.ts'
import type { TestApp } from '../support/app.ts'
import { evaluation, testStartSeconds } from '../support/evaluations.ts'
import { preparedApp } from '../support/prepared-app.ts'
import { checkout } from '../support/slo-calls.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a message is assessed by what a test expects of it
export type Message = { type: string; data: any }

export type LiveClient = {
  send(message: unknown): void
  sendRaw(message: string | Uint8Array): void
  /** The next message not taken yet. */
  next(): Promise<Message>
  /** All messages received until now, after a ping and its answer. */
  heard(): Promise<Message[]>
  /** Subscribes and takes the confirmation. */
  subscribe(sloId: number, channels?: string[]): Promise<Message>
  close(): void
  closed: Promise<{ code: number; reason: string }>
}

type Handshake = { token?: string; headers?: Record<string, string>; protocols?: string[]; query?: string }

/** Ada's organization with SLO 1, eve's with SLO 2, and a socket for each. */
export async function liveWorld(env: Record<string, string> = {}) {
  const { nines, result } = await preparedApp('live', { env }, prepare)
  const { ada, eve } = result
  const base = nines.listen()
  let atSeconds = testStartSeconds
  return {
    nines,
    ada,
    eve,
    base,
    connect: ({ token = ada, ...rest }: Handshake = {}) =>
      open(base, { headers: { authorization: `Bearer ${token}` }, ...rest }),
    /** Stores and publishes evaluations of the next minute. */
    async minute(...found: Partial<Evaluation>[]): Promise<void> {
      atSeconds += 60
      nines.clock.advance(60_000)
      const evaluations = found.map((one) => evaluation({ atSeconds, ...one }))
      await nines.app.db.write.transaction().execute(async (trx) => {
        await putEvaluations(trx, evaluations)
        await nines.app.alertRaiser.raiseAlerts(trx, evaluations)
      })
      nines.app.feed.evaluated(evaluations)
      await nines.app.feed.drain()
    },
    close: nines.close,
  }
}

async function prepare(nines: TestApp) {
  const ada = await nines.join('ada')
  const eve = await nines.join('eve')
  await nines.call('POST', '/api/v1/slos', checkout, { token: ada })
  await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'of eve' }, { token: eve })
  return { ada, eve }
}

export type LiveWorld = Awaited<ReturnType<typeof liveWorld>>

/** Opens a WebSocket; rejects if it is refused. */
export async function open(base: string, { headers = {}, protocols = [], query = '' }: Handshake): Promise<LiveClient> {
  const url = `${base.replace('http', 'ws')}/api/v1/ws/subscribe${query}`
  const socket = new WebSocket(url, { headers, protocols })
  const messages: Message[] = []
  const takers: PromiseWithResolvers<Message>[] = []
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data))
    const taker = takers.shift()
    if (taker) taker.resolve(message)
    else messages.push(message)
  })
  socket.addEventListener('close', ({ code, reason }) => {
    closed.resolve({ code, reason })
    opened.reject(new Error(`closed with ${code} ${reason}`))
    for (const { reject } of takers) reject(new Error(`closed with ${code} ${reason}`))
  })
  const client: LiveClient = {
    send: (message) => socket.send(JSON.stringify(message)),
    sendRaw: (message) => socket.send(message),
    next() {
      const [message] = messages.splice(0, 1)
      if (message) return Promise.resolve(message)
      const taker = Promise.withResolvers<Message>()
      takers.push(taker)
      return taker.promise
    },
    async heard() {
      client.send({ type: 'ping', data: {} })
      const heard: Message[] = []
      for (let one = await client.next(); one.type !== 'pong'; one = await client.next()) heard.push(one)
      return heard
    },
    subscribe(sloId, channels) {
      client.send({ type: 'subscribe', data: { slo_id: sloId, ...(channels && { channels }) } })
      return client.next()
    },
    close: () => socket.close(),
    closed: closed.promise,
  }
  await opened.promise
  return client
}

export const upgrade = {
  upgrade: 'websocket',
  connection: 'Upgrade',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
}

/**
 * A handshake byte by byte: the response's head, its body up to its length, and the connection, which is not read any further.
 */
export function handshake(base: string, headers: Record<string, string>, query = '') {
  const { hostname, port, host } = new URL(base)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise<{ status: number; head: string; body: string; socket: ReturnType<typeof connect> }>((resolve) => {
    const socket = connect(Number(port), hostname)
    let said = ''
    socket.on('data', function read(bytes) {
      said += bytes.toString('latin1')
      const [head = '', body = ''] = said.split('\r\n\r\n')
      if (!said.includes('\r\n\r\n') || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return
      socket.off('data', read)
      socket.pause()
      resolve({ status: Number(head.split(' ')[1]), head: head.toLowerCase(), body, socket })
    })
    socket.write(`GET /api/v1/ws/subscribe${query} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
}

/** A client frame with a mask of zeros; opcode 1: text, 2: bytes. */
export function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = Buffer.alloc(14)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127)
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  if (size === 2) head.writeUInt16BE(length, 2)
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head.subarray(0, 2 + size + 4), payload])
}
