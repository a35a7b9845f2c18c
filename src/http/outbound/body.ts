import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, gunzipSync } from 'node:zlib'
import { OutboundError } from './error.ts'

/** `isCut`: there was more than was to be read; of more than a megabyte nothing is kept then. */
export type BoundedBody = { body: Buffer; isCut: boolean }

type Options = {
  /** Of what is read off the connection, and of what it unpacks to. */
  maxBytes: number
  /** The body's `Content-Encoding`. */
  encoding: string | null
  /** Those that are unpacked; a body in any other is refused, and none is unpacked twice. */
  decoders?: Decoders
  /** Is awaited before more than `largeBytes` are read. */
  onLarge?: () => Promise<unknown>
  /** Nobody else has the chunks: what is not packed is freed as soon as it is copied. */
  takesChunks?: boolean
}

type Decoder = () => NodeJS.ReadWriteStream & Readable
type Decoders = ReadonlyMap<string, Decoder>

const gzipOnly: Decoders = new Map<string, Decoder>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
])

/** What the blackbox exporter unpacks. */
export const gzipAndOthers: Decoders = new Map<string, Decoder>([
  ...gzipOnly,
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

const largeBytes = 1024 * 1024

/** By how much a body that is not worth packing grows by it. */
const packingBytes = 64 * 1024

/**
 * The first `maxBytes` of a body, unpacked. Reads ahead no further than to the next chunk, and no more once it has them: the
 * caller closes the connection then. Throws `OutboundError` for an encoding that is not unpacked, and what the chunks and
 * the decoder throw.
 */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, encoding, decoders = gzipOnly, onLarge = async () => {}, takesChunks = false }: Options,
): Promise<BoundedBody> {
  const name = (encoding ?? '').trim().toLowerCase()
  const isPlain = name === '' || name === 'identity'
  const decoder = decoders.get(name)
  if (!isPlain && !decoder) throw new OutboundError('broken', 'the body is compressed by something else than gzip')
  if (!decoder) return collect(chunks, maxBytes, onLarge, takesChunks)
  let isInputCut = false
  // what unpacks to nothing would never reach the bound
  async function* upToMax() {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.byteLength
      isInputCut = bytes > maxBytes + packingBytes
      if (isInputCut) return
      yield chunk
    }
  }
  // what goes wrong in either is thrown by reading the end of the line
  const unpacked = pipeline(Readable.from(upToMax()), decoder(), () => {})
  try {
    const { body, isCut } = await collect(unpacked, maxBytes, onLarge)
    return { body, isCut: isCut || isInputCut }
  } catch (error) {
    if (isInputCut) return { body: Buffer.alloc(0), isCut: true }
    throw error
  }
}

/** Unpacked in place, in a fraction of a millisecond. */
const smallBytes = 256 * 1024

/** As `readBounded`, of a few bytes that are there; null: they have to be read with bounds, as a stream. */
export function readSmall(
  bytes: Uint8Array,
  { maxBytes, encoding }: Pick<Options, 'maxBytes' | 'encoding'>,
): BoundedBody | null {
  if (encoding === null) return { body: asBuffer(bytes), isCut: false }
  if (encoding !== 'gzip') return null
  try {
    const maxOutputLength = Math.min(maxBytes, smallBytes)
    const chunkSize = Math.min(smallBytes, Math.max(64, unpackedLength(bytes) + 1)) // one piece, as large as it is
    return { body: gunzipSync(bytes, { maxOutputLength, chunkSize }), isCut: false }
  } catch {
    return null // the stream says what is wrong with it, or how it goes on
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** What the last four bytes of gzip say, which need not be so. */
function unpackedLength(bytes: Uint8Array): number {
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true)
}

/**
 * Into memory outside of the heap that grows as it is written to: chunks of a byte each would take a hundred times as much.
 * What is not needed any more is freed at once, which nobody does for bytes outside of the heap that are few objects.
 */
async function collect(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onLarge: () => Promise<unknown>,
  takesChunks = false,
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
    if (takesChunks && chunk.byteLength === chunk.buffer.byteLength) free(chunk)
    if (isCut) break
  }
  const body = endOf(sink)
  if (!isCut || body.byteLength <= largeBytes) return { body, isCut }
  free(body)
  return { body: Buffer.alloc(0), isCut }
}

export function openSink(sizeBytes?: number): Bun.ArrayBufferSink {
  const sink = new Bun.ArrayBufferSink()
  sink.start({ asUint8Array: true, ...(sizeBytes !== undefined && { highWaterMark: sizeBytes }) })
  return sink
}

/** With room for all there may be, which takes no memory until it is written to; a small one would be copied again and again. */
function enlarged(small: Bun.ArrayBufferSink, sizeBytes: number): Bun.ArrayBufferSink {
  const large = openSink(sizeBytes)
  large.write(endOf(small))
  return large
}

export function endOf(sink: Bun.ArrayBufferSink): Buffer {
  const ended = sink.end()
  return ended instanceof Uint8Array
    ? Buffer.from(ended.buffer, ended.byteOffset, ended.byteLength)
    : Buffer.from(ended)
}

/** The text of a body, which cannot be read afterwards. */
export function takeText(body: Buffer): string {
  const text = body.toString()
  if (body.byteLength > largeBytes) free(body)
  return text
}

export function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
