import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { CacheConfig } from './configuration/config.ts'
import type { EntryContent } from './entry.ts'

/** A result as stored on disk. `checksum`: SHA-256 in hex of the entry's constant fields and of the bytes. */
export type StoredResult = { isGzip: boolean; checksum: string; bytes: Uint8Array }
type Compression = Pick<CacheConfig, 'enableCompression' | 'compressionThreshold'>

/** Runs in another thread: 1 MB takes some 20 ms. */
const compress = promisify(gzip)

export async function encodeResult(content: EntryContent, compression: Compression): Promise<StoredResult> {
  const plain = new TextEncoder().encode(content.result)
  const isGzip = compression.enableCompression && plain.length > compression.compressionThreshold
  const bytes = isGzip ? await compress(plain) : plain
  return { isGzip, bytes, checksum: checksumOf(content, isGzip, bytes) }
}

/** Returns the JSON text; throws, with the reason, if the data is not exactly what was stored. */
export function decodeResult(entry: Omit<EntryContent, 'result'>, { isGzip, checksum, bytes }: StoredResult): string {
  if (checksumOf(entry, isGzip, bytes) !== checksum) throw new Error('the checksum does not fit')
  const plain = isGzip ? Bun.gunzipSync(new Uint8Array(bytes)) : bytes
  const result = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain)
  JSON.parse(result)
  return result
}

/** Covers the compressed bytes, so that nothing is decompressed that nines has not compressed. */
function checksumOf(entry: Omit<EntryContent, 'result'>, isGzip: boolean, bytes: Uint8Array): string {
  const { organizationId, key, queryHash, query, sloId, timeWindow, sizeBytes, cachedAtMs, expiresAtMs } = entry
  const fixed = [organizationId, key, queryHash, query, sloId, timeWindow, sizeBytes, cachedAtMs, expiresAtMs, isGzip]
  return createHash('sha256').update(JSON.stringify(fixed)).update(bytes).digest('hex')
}
