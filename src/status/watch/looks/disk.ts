import { statfs as systemStatfs } from 'node:fs/promises'
import type { Finding } from '../watchdog.ts'
import { bytesText } from './words.ts'

/** What there is of a file system, and what of it a user may still write. */
export type ReadSpace = (path: string) => Promise<{ bsize: number; blocks: number; bavail: number }>

const minShare = 0.05
/** 5 % of a large disk is plenty. */
const enoughBytes = 5e9
const minBytes = 256e6
/** What has become free, beyond the limit, before all is well again: a log that grows and shrinks must not flicker. */
const regainedShare = 1.1

/** Whether the file system of the data folder has room: 5 % of it, 5 GB at most and 256 MB at least. */
export function watchDisk(
  dataDir: string,
  readSpace: ReadSpace = (path) => systemStatfs(path),
): () => Promise<Finding> {
  let isLow = false
  return async () => {
    try {
      const { bsize, blocks, bavail } = await readSpace(dataDir)
      const [allBytes, freeBytes] = [blocks * bsize, bavail * bsize]
      const limitBytes = Math.max(minBytes, Math.min(enoughBytes, minShare * allBytes))
      isLow = freeBytes < limitBytes * (isLow ? regainedShare : 1)
      if (!isLow) return null
      return `${bytesText(freeBytes)} of the ${bytesText(allBytes)} of the data folder's file system are free`
    } catch (error) {
      const problem = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      return `the free space of the data folder's file system cannot be read (${problem})`
    }
  }
}
