import { createReadStream, statSync } from 'node:fs'
import { addAbortSignal, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** `fractionRead`: undefined where nobody knows how much there is. */
export type Input = { chunks: AsyncIterable<Uint8Array>; fractionRead(): number | undefined }

const chunkSize = 256 * 1024

/** What is in a file, unpacked where it ends in `.gz`, or what comes on stdin for `-`. Reading fails once `signal` aborts. */
export function openInput(file: string, signal: AbortSignal): Input {
  if (file === '-') return { chunks: addAbortSignal(signal, process.stdin), fractionRead: () => undefined }
  const stats = statSync(file)
  if (stats.isDirectory()) throw new Error(`${file} is a directory`)
  const stream = createReadStream(file, { highWaterMark: chunkSize, signal })
  return {
    // What ends the pipeline early is thrown to whoever reads.
    chunks: file.endsWith('.gz') ? pipeline(stream, createGunzip({ chunkSize }), () => {}) : stream,
    fractionRead: () => (stats.size > 0 ? Math.min(1, stream.bytesRead / stats.size) : undefined), // a pipe has no size
  }
}
