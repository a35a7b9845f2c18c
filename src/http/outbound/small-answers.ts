import { Readable } from 'node:stream'
import { type BoundedBody, packingBytes, readBounded, readSmall } from './body.ts'
import { createConnections } from './kept-connections.ts'
import { OutboundError, outboundError } from './error.ts'
import { forbiddenHeader, portOf } from './pin.ts'
import type { ReachExceptions } from './reach.ts'

/** `maxBytes`: as `isSmall` says. */
type SmallRequest = {
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Headers | Record<string, string>
  body?: string
  maxBytes: number
  signal?: AbortSignal
} & ReachExceptions

const smallBytes = 64 * 1024

/**
 * Whether an answer is read as a whole, over a connection of nines' own: a `fetch` takes three times the CPU. TLS is left to
 * `fetch`, which does it in another thread.
 */
export function isSmall<T extends { maxBytes: unknown }>(
  { protocol }: URL,
  request: T,
): request is T & { maxBytes: number } {
  const { maxBytes } = request
  return protocol === 'http:' && typeof maxBytes === 'number' && maxBytes > 0 && maxBytes <= smallBytes
}

/** Throws `OutboundError`, or `signal.reason` once it is aborted. */
export function createSmallFetch() {
  const connections = createConnections()
  return async (
    url: URL,
    request: SmallRequest,
    lookUp: () => Promise<string[]>,
  ): Promise<{ status: number; headers: Headers } & BoundedBody> => {
    const { maxBytes, signal, toPrivate = false, toOwn = false } = request
    const bytes = bytesOf(url, request)
    try {
      signal?.throwIfAborted()
      const answer = await connections.exchange({
        place: `${url.host} ${toPrivate} ${toOwn}`, // a connection was checked for these
        lookUp,
        port: portOf(url),
        bytes,
        maxBytes: (headers) => maxBytes + (headers.has('content-encoding') ? packingBytes : 0),
        signal,
      })
      const { status, headers } = answer
      return { status, headers, ...(await bodyOf(answer, maxBytes)) }
    } catch (error) {
      signal?.throwIfAborted()
      throw outboundError(error)
    }
  }
}

function bytesOf(url: URL, { method = 'GET', headers = {}, body }: SmallRequest): Buffer {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\naccept-encoding: gzip\r\n`
  if (body !== undefined || method !== 'GET') head += `content-length: ${Buffer.byteLength(body ?? '')}\r\n`
  let accept = 'accept: */*\r\n'
  for (const [given, value] of headers instanceof Headers ? headers : Object.entries(headers)) {
    const name = given.toLowerCase()
    if (!isName.test(name) || !isValue.test(value)) throw forbiddenHeader()
    if (name === 'accept') accept = ''
    if (name !== 'host' && name !== 'accept-encoding') head += `${name}: ${value}\r\n`
  }
  const bytes = Buffer.from(`${head}${accept}\r\n`, 'latin1')
  return body === undefined ? bytes : Buffer.concat([bytes, Buffer.from(body)])
}

/** As `Headers` takes them (RFC 9110, 5). */
const isName = /^[!#$%&'*+.^_`|~\da-z-]+$/
const isValue = /^[\t\x20-\x7e\x80-\xff]*$/

type Raw = { status: number; headers: Headers; body: Buffer }

async function bodyOf({ status, headers, body }: Raw, maxBytes: number): Promise<BoundedBody> {
  const encoding = headers.get('content-encoding')
  const whole = body.length > maxBytes ? null : readSmall(body, { maxBytes, encoding })
  if (whole) return whole
  try {
    return await readBounded(Readable.from([body]), { maxBytes, encoding })
  } catch (error) {
    // of an error it is the status that matters
    if (status >= 300 && error instanceof OutboundError) return { body: Buffer.alloc(0), isCut: true }
    throw error
  }
}
