import { OutboundError } from './error.ts'

/** `body` is as it came, and one byte longer than was to be read where it goes on; `isKept`: the connection can be used again. */
export type RawAnswer = { status: number; headers: Headers; body: Buffer; isKept: boolean }

/** Reads one answer of HTTP/1.1 (RFC 9112), piece by piece. Throws a `broken` `OutboundError` for what is none. */
export type AnswerReader = {
  /** Takes what came next; gives the answer once it is whole, or longer than it may be. */
  take(bytes: Uint8Array): RawAnswer | null
  /** The server has closed: gives the answer where it ends so, else null. */
  end(): RawAnswer | null
}

const maxHeadBytes = 16 * 1024
const maxLineBytes = 1024
/** Heads, and what stands around chunks. */
const maxFramingBytes = 512 * 1024

type Head = { status: number; headers: Headers; isPersistent: boolean; length: number | 'chunked' | 'until closed' }

/** `maxBytes` by the headers of an answer: so much of its body is read. */
export function createAnswerReader(maxBytes: (headers: Headers) => number): AnswerReader {
  let rest: Buffer = Buffer.alloc(0)
  let head: Head | undefined
  let limit = 0
  const body: Buffer[] = []
  let size = 0
  let framing = 0
  /** Of the chunk that is being read, with the line end behind it; 0: the line of the next one follows. */
  let left = 0
  let isLast = false

  function readHeads(): Head | undefined {
    for (;;) {
      const end = endOfHead(rest)
      if ((end < 0 ? rest.length : end) > maxHeadBytes) throw new OutboundError('broken', tooLargeHeaders)
      if (end < 0) return undefined
      const read = readHead(rest.toString('latin1', 0, end))
      frame(end)
      if (read.status >= 200) return read // what is below only announces it
      if (read.status === 101) throw notHttp()
    }
  }

  function frame(bytes: number): void {
    rest = rest.subarray(bytes)
    framing += bytes
    if (framing > maxFramingBytes) throw notHttp()
  }

  /** Moves bytes into the body; whether these are more than may be. */
  function keep(bytes: number): boolean {
    const kept = Math.min(bytes, limit + 1 - size)
    if (kept > 0) body.push(rest.subarray(0, kept))
    size += kept
    rest = rest.subarray(bytes)
    return size > limit
  }

  function whole({ status, headers, isPersistent }: Head, isKept = isPersistent): RawAnswer {
    const [first = Buffer.alloc(0)] = body
    return { status, headers, body: body.length > 1 ? Buffer.concat(body) : first, isKept: isKept && rest.length === 0 }
  }

  function takeBody(read: Head): RawAnswer | null {
    if (read.length === 'chunked') return takeChunks(read)
    const missing = read.length === 'until closed' ? Infinity : read.length - size
    if (keep(Math.min(missing, rest.length))) return whole(read, false)
    return read.length === size ? whole(read) : null
  }

  function takeChunks(read: Head): RawAnswer | null {
    while (rest.length > 0) {
      if (left > 2) {
        const taken = Math.min(left - 2, rest.length)
        left -= taken
        if (keep(taken)) return whole(read, false)
        continue
      }
      const end = rest.indexOf(10) + 1
      if ((end || rest.length) > maxLineBytes) throw notHttp()
      if (end === 0) return null
      const line = rest.toString('latin1', 0, end).trimEnd()
      frame(end)
      if (left > 0) {
        if (line !== '') throw notHttp()
        left = 0
      } else if (isLast) {
        if (line === '') return whole(read)
      } else {
        const hex = /^([\da-f]{1,12})[\t ]*(?:;.*)?$/i.exec(line)?.[1]
        if (hex === undefined) throw notHttp()
        left = Number.parseInt(hex, 16)
        isLast = left === 0
        if (!isLast) left += 2
      }
    }
    return null
  }

  return {
    take(bytes) {
      const came = Buffer.from(bytes) // what it was read into is used again
      rest = rest.length === 0 ? came : Buffer.concat([rest, came])
      if (!head) {
        head = readHeads()
        if (!head) return null
        limit = maxBytes(head.headers)
      }
      return takeBody(head)
    },
    end: () => (head?.length === 'until closed' ? whole(head, false) : null),
  }
}

/** Where the empty line ends; -1: it is not there yet. */
function endOfHead(bytes: Buffer): number {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3
  }
  return -1
}

function readHead(text: string): Head {
  const [start = '', ...lines] = text.trimEnd().split(/\r?\n/)
  const [, minor, digits] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(start) ?? []
  if (digits === undefined) throw notHttp()
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) throw notHttp()
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1))
    } catch {
      throw notHttp()
    }
  }
  const status = Number(digits)
  const length = lengthOf(status, headers)
  const connection = (headers.get('connection') ?? '').toLowerCase()
  const isAsked = minor === '1' ? !connection.includes('close') : connection.includes('keep-alive')
  const isClear = length !== 'until closed' && !(headers.has('transfer-encoding') && headers.has('content-length'))
  return { status, headers, length, isPersistent: isAsked && isClear }
}

/** RFC 9112, 6.3: what both say is how a request is smuggled; the chunks count. */
function lengthOf(status: number, headers: Headers): Head['length'] {
  if (status < 200 || status === 204 || status === 304) return 0
  const coding = headers.get('transfer-encoding')
  if (coding !== null) {
    if (coding.trim().toLowerCase() !== 'chunked') throw notHttp()
    return 'chunked'
  }
  const given = headers.get('content-length')
  if (given === null) return 'until closed'
  const lengths = new Set(given.split(',').map((one) => one.trim()))
  const [length = ''] = lengths
  if (lengths.size > 1 || !/^\d{1,15}$/.test(length)) throw notHttp()
  return Number(length)
}

const tooLargeHeaders = 'the answer has too large headers'
const notHttp = () => new OutboundError('broken', 'the answer is not HTTP')
