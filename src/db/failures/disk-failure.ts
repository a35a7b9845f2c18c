import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { codeOf } from './constraints.ts'

/** Reason of a refused write: no space, files that are not at their paths, or another failure of the disk. */
type DiskProblem = 'disk_full' | 'disk_unwritable' | 'data_folder_replaced'

/**
 * The disk refused a write, or stored it where a restart does not find it: 503 for the request that needs the write. The failure is
 * not the fault of the request, and is temporary. `found`: a code, or the name of the file that is not at its path.
 */
export class DiskFailure extends AppError {
  readonly problem: DiskProblem

  constructor(problem: DiskProblem, found: string, cause?: unknown) {
    const { message, details } = sentences[problem](found)
    super('unavailable', message, {
      details,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      cause,
    })
    this.name = 'DiskFailure'
    this.problem = problem
  }
}

const retryAfterSeconds = 5
const sentences: Record<DiskProblem, (found: string) => { message: string; details: string }> = {
  disk_full: () => ({
    message: 'disk is full',
    details: 'nothing can be stored until space is freed on the file system of the data folder (DATA_DIR)',
  }),
  disk_unwritable: (code) => ({
    message: `data folder cannot be written (${code})`,
    details: reasons[code] ?? 'look at the file system of the data folder (DATA_DIR), and at the log of the machine',
  }),
  data_folder_replaced: (file) => ({
    message: `${file} was moved, removed or replaced`,
    details:
      'nothing can be stored in it until it is back at its place in the data folder (DATA_DIR); restart nines to go on with what is there now',
  }),
}
export const diskProblems = Object.keys(sentences) as DiskProblem[]

const fullCodes = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])
const otherCodes = new Set(['EROFS', 'EIO', 'EMFILE', 'ENFILE'])
const reasons: Record<string, string> = {
  EROFS: 'the file system of the data folder (DATA_DIR) is mounted read-only',
  EIO: 'the disk of the data folder (DATA_DIR) has an input/output error',
  EMFILE: 'nines has as many files open as it may: raise the limit of open files (ulimit -n)',
  ENFILE: 'the machine has as many files open as it may (fs.file-max)',
}
/** SQLite codes that do not tell why a call failed, if the cause may be a full disk, its file system or missing descriptors. */
const vagueCode =
  /^SQLITE_(?:IOERR_(?:WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHM\w+|GETTEMPPATH|ACCESS|DELETE)|IOERR|READONLY\w*|CANTOPEN\w*)$/

/**
 * The disk failure that an error is; undefined: it is none. If SQLite gives no reason, tries to write a file in the data folder.
 */
export function diskFailureOf(error: unknown, dataDir: string): DiskFailure | undefined {
  if (error instanceof DiskFailure) return error
  const code = String(codeOf(error))
  if (fullCodes.has(code)) return new DiskFailure('disk_full', code, error)
  if (otherCodes.has(code)) return new DiskFailure('disk_unwritable', code, error)
  if (!vagueCode.test(code)) return undefined
  const found = tryFile(dataDir) ?? code
  return new DiskFailure(fullCodes.has(found) ? 'disk_full' : 'disk_unwritable', found, error)
}

/** True if an error is a disk failure, or was caused by one. */
export function isDiskFailure(error: unknown): boolean {
  return error instanceof DiskFailure || (error instanceof Error && error.cause instanceof DiskFailure)
}

/** Does a write that the response does not need; returns `otherwise` if the disk refuses it. */
export async function unlessDiskRefuses<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isDiskFailure(error)) return otherwise
    throw error
  }
}

const trialName = 'space.trial'
const trialBytes = 1024 * 1024

/** Throws unless the file system has that much room and accepts a file of a megabyte: free space is reported without quotas. */
export async function assertRoom(dataDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize < bytes) throw new DiskFailure('disk_full', 'ENOSPC')
  const path = join(dataDir, trialName)
  try {
    const file = await open(path, 'w', 0o600)
    try {
      await file.writeFile(Buffer.alloc(trialBytes))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}

/** Writes a file to test the disk. Returns the code of the failure, undefined if there is none. */
function tryFile(dataDir: string): string | undefined {
  const path = join(dataDir, trialName)
  try {
    const file = openSync(path, 'w', 0o600)
    try {
      writeSync(file, Buffer.alloc(4096))
    } finally {
      closeSync(file)
      rmSync(path, { force: true })
    }
    return undefined
  } catch (error) {
    return String(codeOf(error))
  }
}
