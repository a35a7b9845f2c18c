import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { chunkBytes } from './parts.ts'

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** True if a backup of this name is compressed with zstd. */
export function isCompressedName(file: string): boolean {
  return file.endsWith('.zst')
}

/** Compresses a file with zstd into a new one of mode 600, synced to disk. Returns its size. */
export async function compress(from: string, to: string): Promise<number> {
  const target = createWriteStream(to, { flags: 'wx', mode: 0o600 })
  await pipeline(createReadStream(from, { highWaterMark: chunkBytes }), createZstdCompress(), target)
  const written = await open(to)
  try {
    await written.sync()
    return (await written.stat()).size
  } finally {
    await written.close()
  }
}

/**
 * Path of the tar archive of a backup: `file` itself, or, if its content is compressed with zstd, the new file `to` that it is
 * unpacked into. A compressed file that is cut off may give an archive that is cut off.
 */
export async function unpackedArchive(file: string, to: string): Promise<string> {
  if (!(await isCompressedFile(file))) return file
  const target = createWriteStream(to, { flags: 'wx', mode: 0o600 })
  await pipeline(createReadStream(file, { highWaterMark: chunkBytes }), createZstdDecompress(), target)
  return to
}

/** True if the content of a backup is compressed with zstd. */
export async function isCompressedFile(file: string): Promise<boolean> {
  const source = await open(file)
  try {
    const { buffer, bytesRead } = await source.read(Buffer.alloc(zstdMagic.length), 0, zstdMagic.length, 0)
    return bytesRead === zstdMagic.length && buffer.equals(zstdMagic)
  } finally {
    await source.close()
  }
}
