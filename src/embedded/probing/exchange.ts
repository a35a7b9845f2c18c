import { type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { gzipAndOthers, readBounded } from '../../http/outbound/body.ts'
import { ProbeFailure } from './connect.ts'

/** `url` names the server; the request goes over a connection that is already there. */
export type HttpRequest = { url: URL; method: string; headers: Readonly<Record<string, string>>; body: string | null }

const maxHeaderBytes = 32 * 1024
const maxInterim = 10

/** Sends over a connection of its own; the head of the answer. Throws what `node:http` does, and `ProbeFailure`. */
export function exchange(socket: Socket, { url, method, headers, body }: HttpRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let interim = 0
  const asking = startRequest({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      Host: url.host,
      ...headers,
      ...(body !== null && { 'Content-Length': Buffer.byteLength(body) }),
    },
    setHost: false,
    maxHeaderSize: maxHeaderBytes,
  })
  asking.on('response', (answer) => {
    answer.on('error', () => {}) // for whom nobody reads; who does hears of it otherwise
    resolve(answer)
  })
  asking.on('error', reject)
  asking.on('upgrade', resolve)
  asking.on('information', () => {
    interim += 1
    if (interim > maxInterim) asking.destroy(new ProbeFailure('the answer does not begin'))
  })
  asking.end(body ?? undefined)
  return promise
}

/** Each costs as much as many bytes: a megabyte in pieces of one would hold up everybody for seconds. */
const maxPieces = 20_000

async function* firstPieces(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  let pieces = 0
  for await (const piece of answer) {
    yield piece
    pieces += 1
    if (pieces === maxPieces) return
  }
}

/** The first `maxBytes` of the body of an answer, unpacked. Throws for one that is broken off or not as it says. */
export async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? ''
  const known = gzipAndOthers.has(encoding) ? encoding : null // any other is looked at as it is
  const { body } = await readBounded(firstPieces(answer), { maxBytes, encoding: known, decoders: gzipAndOthers })
  return body
}
