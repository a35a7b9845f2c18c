import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Size of a database on the disk. `grownBytes`: since nines was started; negative where it has become smaller. */
export type DatabaseSize = { file: string; bytes: number; walBytes: number; grownBytes: number }

const files = ['nines.db', 'samples.db'] as const

/** Reads the sizes of both databases, and remembers those of now. Returns a function that reads them again. */
export function createDatabaseSizes(dataDir: string): () => DatabaseSize[] {
  const sizeOf = (file: string) => statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0
  const first = new Map(files.map((file) => [file, sizeOf(file)]))
  return () =>
    files.map((file) => {
      const bytes = sizeOf(file)
      return { file, bytes, walBytes: sizeOf(`${file}-wal`), grownBytes: bytes - (first.get(file) ?? 0) }
    })
}
