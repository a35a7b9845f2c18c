import { type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { gzipAndOthers, readBounded } from '../../http/outbound/body.ts'
import { ProbeFailure } from './connect.ts'

/** `url` names the server; the request is sent over an existing connection. */
export type HttpRequest = { url: URL; method: string; headers: Readonly<Record<string, string>>; body: string | null }

const maxHeaderBytes = 32 * 1024
const maxInterimResponses = 10

/**
 * Sends a request over a connection that serves no other, and gives the head of the answer. Throws what `node:http` throws, and `ProbeFailure`.
 */
export function exchange(socket: Socket, { url, method, headers, body }: HttpRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let interim = 0
  const request = startRequest({
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
  request.on('response', (answer) => {
    answer.on('error', () => {}) // for bodies that nobody reads; a reader gets the error as well
    resolve(answer)
  })
  request.on('error', reject)
  request.on('upgrade', resolve)
  request.on('information', () => {
    interim += 1
    if (interim > maxInterimResponses) request.destroy(new ProbeFailure('the answer does not begin'))
  })
  request.end(body ?? undefined)
  return promise
}

/**
 * Maximum pieces of a body that are read. A piece costs as much as many bytes: a megabyte in pieces of one byte would block the event
 * loop for seconds.
 */
const maxPieces = 20_000

async function* firstPieces(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  let pieces = 0
  for await (const piece of answer) {
    yield piece
    pieces += 1
    if (pieces === maxPieces) return
  }
}

/** Reads the first `maxBytes` of a body, decompressed. Throws if the body is cut off, or not encoded as declared. */
export async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? ''
  const known = gzipAndOthers.has(encoding) ? encoding : null // any other is read as it is
  const { body } = await readBounded(firstPieces(answer), { maxBytes, encoding: known, decoders: gzipAndOthers })
  return body
}
