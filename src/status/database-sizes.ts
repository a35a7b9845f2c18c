import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Size of a database on the disk. `grownBytes`: growth since the start of nines; negative if the file has become smaller. */
export type DatabaseSize = { file: string; bytes: number; walBytes: number; grownBytes: number }

const files = ['nines.db', 'samples.db'] as const

/** Reads the sizes of both databases at the start. Returns a function that reads them again, with the growth since. */
export function createDatabaseSizes(dataDir: string): () => DatabaseSize[] {
  const sizeOf = (file: string) => statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0
  const first = new Map(files.map((file) => [file, sizeOf(file)]))
  return () =>
    files.map((file) => {
      const bytes = sizeOf(file)
      return { file, bytes, walBytes: sizeOf(`${file}-wal`), grownBytes: bytes - (first.get(file) ?? 0) }
    })
}
