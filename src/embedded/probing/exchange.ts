import { type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ProbeFailure } from './failure.ts'

/** `url` names whom to ask, and is asked over a connection that is already there. */
export type HttpRequest = { url: URL; method: string; headers: Readonly<Record<string, string>>; body: string | null }

const mostHeaderBytes = 32 * 1024
const mostInterim = 10

/** Asks over a connection of its own; the head of the answer. Throws what `node:http` does, and `ProbeFailure`. */
export function exchange(socket: Socket, { url, method, headers, body }: HttpRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let interim = 0
  const asking = startRequest({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...hostHeader(url, headers),
      ...headers,
      ...(body !== null && { 'Content-Length': Buffer.byteLength(body) }),
    },
    setHost: false,
    maxHeaderSize: mostHeaderBytes,
  })
  asking.on('response', (answer) => {
    answer.on('error', () => {}) // for whom nobody reads; who does hears of it otherwise
    resolve(answer)
  })
  asking.on('error', reject)
  asking.on('upgrade', resolve)
  asking.on('information', () => {
    interim += 1
    if (interim > mostInterim) asking.destroy(new ProbeFailure('the answer does not begin'))
  })
  asking.end(body ?? undefined)
  return promise
}

function hostHeader({ host }: URL, headers: Readonly<Record<string, string>>) {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'host') ? {} : { Host: host }
}

/** The first `mostBytes` of the body of an answer, decompressed. Throws for one that is broken off or not as it says. */
export async function readBody(answer: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of decompressed(answer)) {
    parts.push(Buffer.from(part))
    bytes += part.length
    if (bytes >= mostBytes) break
  }
  return Buffer.concat(parts).subarray(0, mostBytes)
}

const decompressors = new Map<string, () => NodeJS.ReadWriteStream & Readable>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

function decompressed(answer: IncomingMessage): Readable {
  const decompressor = decompressors.get(answer.headers['content-encoding']?.trim().toLowerCase() ?? '')
  // what goes wrong in either is thrown by reading the end of the line
  return decompressor ? pipeline(answer, decompressor(), () => {}) : answer
}
