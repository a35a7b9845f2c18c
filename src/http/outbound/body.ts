import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, gunzipSync } from 'node:zlib'
import { OutboundError } from './error.ts'

/** `isCut`: the body exceeds the limit. Then `body` is empty if more than a megabyte was read. */
export type BoundedBody = { body: Buffer; isCut: boolean }

type Options = {
  /** Bound of the unpacked bytes, and roughly of the bytes read from the connection. */
  maxBytes: number
  /** The body's `Content-Encoding`. */
  encoding: string | null
  /** Supported encodings; a body in any other encoding is refused. Nested encodings are not unpacked. */
  decoders?: Decoders
  /** Awaited before more than `largeBytes` are read. */
  onLarge?: () => Promise<unknown>
  /** True if nothing else uses the chunks: an uncompressed chunk is freed as soon as it is copied. */
  ownsChunks?: boolean
}

type Decoder = () => NodeJS.ReadWriteStream & Readable
type Decoders = ReadonlyMap<string, Decoder>

const gzipOnly: Decoders = new Map<string, Decoder>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
])

/** Encodings that the blackbox exporter unpacks. */
export const gzipAndOthers: Decoders = new Map<string, Decoder>([
  ...gzipOnly,
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

const largeBytes = 1024 * 1024

/** Allowance for a body that grows when it is compressed. */
const expansionBytes = 64 * 1024

/**
 * Reads the first `maxBytes` of a body, unpacked. Reads at most one chunk ahead, and none once it has enough; then the caller
 * must close the connection. Throws `OutboundError` for an unsupported encoding, and errors of the chunks and the decoder.
 */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, encoding, decoders = gzipOnly, onLarge = async () => {}, ownsChunks = false }: Options,
): Promise<BoundedBody> {
  const name = (encoding ?? '').trim().toLowerCase()
  const isPlain = name === '' || name === 'identity'
  const decoder = decoders.get(name)
  if (!isPlain && !decoder) throw new OutboundError('broken', 'the body is compressed by something else than gzip')
  if (!decoder) return collect(chunks, maxBytes, onLarge, ownsChunks)
  let isInputCut = false
  // bounds the input: input that unpacks to nothing never reaches the output bound
  async function* upToMax() {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.byteLength
      isInputCut = bytes > maxBytes + expansionBytes
      if (isInputCut) return
      yield chunk
    }
  }
  // an error of the input or the decoder is thrown when `unpacked` is read
  const unpacked = pipeline(Readable.from(upToMax()), decoder(), () => {})
  try {
    const { body, isCut } = await collect(unpacked, maxBytes, onLarge)
    return { body, isCut: isCut || isInputCut }
  } catch (error) {
    if (isInputCut) return { body: Buffer.alloc(0), isCut: true }
    throw error
  }
}

/** Maximum unpacked size for synchronous unpacking: a fraction of a millisecond. */
const smallBytes = 256 * 1024

/** Reads a small body that has already arrived, like `readBounded`. Null: it must be read as a stream. */
export function readSmall(
  bytes: Uint8Array,
  { maxBytes, encoding }: Pick<Options, 'maxBytes' | 'encoding'>,
): BoundedBody | null {
  if (encoding === null) return { body: asBuffer(bytes), isCut: false }
  if (encoding !== 'gzip') return null
  try {
    const maxOutputLength = Math.min(maxBytes, smallBytes)
    const chunkSize = Math.min(smallBytes, Math.max(64, unpackedLength(bytes) + 1)) // one piece of the exact size
    return { body: gunzipSync(bytes, { maxOutputLength, chunkSize }), isCut: false }
  } catch {
    return null // the stream reports the error, or reads a larger body
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Unpacked length from the last four bytes of gzip, which may be wrong. */
function unpackedLength(bytes: Uint8Array): number {
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true)
}

/**
 * Collects chunks in a growing buffer outside of the heap: keeping one-byte chunks would take a hundred times as much memory.
 * Frees buffers as soon as they are unused, because the garbage collector rarely runs for a few large off-heap buffers.
 */
async function collect(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onLarge: () => Promise<unknown>,
  ownsChunks = false,
): Promise<BoundedBody> {
  let sink = openSink()
  let bytes = 0
  let isCut = false
  for await (const chunk of chunks) {
    const room = maxBytes - bytes
    if (bytes <= largeBytes && bytes + chunk.byteLength > largeBytes && maxBytes > largeBytes) {
      await onLarge()
      sink = enlarged(sink, maxBytes)
    }
    sink.write(room < chunk.byteLength ? chunk.subarray(0, room) : chunk)
    bytes += Math.min(room, chunk.byteLength)
    isCut = chunk.byteLength > room
    if (ownsChunks && chunk.byteLength === chunk.buffer.byteLength) free(chunk)
    if (isCut) break
  }
  const body = finishSink(sink)
  if (!isCut || body.byteLength <= largeBytes) return { body, isCut }
  free(body)
  return { body: Buffer.alloc(0), isCut }
}

export function openSink(sizeBytes?: number): Bun.ArrayBufferSink {
  const sink = new Bun.ArrayBufferSink()
  sink.start({ asUint8Array: true, ...(sizeBytes !== undefined && { highWaterMark: sizeBytes }) })
  return sink
}

/**
 * Copies a sink into one with room for `sizeBytes`, which takes memory only as it is written. Without that room, a sink would be
 * copied each time it grows.
 */
function enlarged(small: Bun.ArrayBufferSink, sizeBytes: number): Bun.ArrayBufferSink {
  const large = openSink(sizeBytes)
  large.write(finishSink(small))
  return large
}

export function finishSink(sink: Bun.ArrayBufferSink): Buffer {
  const ended = sink.end()
  return ended instanceof Uint8Array
    ? Buffer.from(ended.buffer, ended.byteOffset, ended.byteLength)
    : Buffer.from(ended)
}

/** Decodes a body to text; the body cannot be read afterwards. */
export function decodeAndFree(body: Buffer): string {
  const text = body.toString()
  if (body.byteLength > largeBytes) free(body)
  return text
}

/** Releases the memory of a buffer at once; nothing can be read from it afterwards. */
export function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
