import { setImmediate as nextTurn } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { Gzip, gzipSync } from 'fflate'
import type { CacheConfig } from '../configuration/config.ts'
import type { EntryContent } from '../entry.ts'

/** A result as it lies on the disk; `checksum`: SHA-256 in hex of what never changes of the entry, and of the bytes. */
export type StoredResult = { isGzip: boolean; checksum: string; bytes: Uint8Array }
type Compression = Pick<CacheConfig, 'enableCompression' | 'compressionThreshold'>

/** What is packed at once: some 2 ms of fflate. */
const chunkBytes = 32 * 1024

export async function encodeResult(content: EntryContent, compression: Compression): Promise<StoredResult> {
  const plain = new TextEncoder().encode(content.result)
  const isGzip = compression.enableCompression && plain.length > compression.compressionThreshold
  const bytes = isGzip ? await gzip(plain) : plain
  return { isGzip, bytes, checksum: checksumOf(content, isGzip, bytes) }
}

/** The JSON text; throws, with the reason, for what is not exactly what was stored. */
export function decodeResult(entry: Omit<EntryContent, 'result'>, { isGzip, checksum, bytes }: StoredResult): string {
  if (checksumOf(entry, isGzip, bytes) !== checksum) throw new Error('the checksum does not fit')
  const result = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(isGzip ? unpacked(bytes) : bytes)
  JSON.parse(result)
  return result
}

/** Taken of the packed bytes, so that nothing is unpacked that we have not packed. */
function checksumOf(entry: Omit<EntryContent, 'result'>, isGzip: boolean, bytes: Uint8Array): string {
  const { organizationId, key, queryHash, query, sloId, timeWindow, sizeBytes, cachedAtMs, expiresAtMs } = entry
  const fixed = [organizationId, key, queryHash, query, sloId, timeWindow, sizeBytes, cachedAtMs, expiresAtMs, isGzip]
  return createHash('sha256').update(JSON.stringify(fixed)).update(bytes).digest('hex')
}

/** Bun unpacks ten times as fast as fflate (1 MB: 1.5 ms), and this is on the way of a request. */
function unpacked(bytes: Uint8Array): Uint8Array {
  return Bun.gunzipSync(new Uint8Array(bytes))
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length <= chunkBytes) return gzipSync(bytes)
  const chunks: Uint8Array[] = []
  const stream = new Gzip((chunk) => chunks.push(chunk))
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    if (start > 0) await nextTurn()
    const end = start + chunkBytes
    stream.push(bytes.subarray(start, end), end >= bytes.length)
  }
  return Buffer.concat(chunks)
}
