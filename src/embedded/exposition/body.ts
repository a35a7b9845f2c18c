import { tooLarge } from './cursor.ts'

/** Reads a body whole; beyond `maxBytes` it stops reading and throws `too_large`. Counts what is left after decompression. */
export async function readBody(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(`a body of at most ${maxBytes} bytes`)
    parts.push(chunk)
  }
  return Buffer.concat(parts, bytes)
}
