import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '../failures/constraints.ts'

/**
 * Creates the data folder, readable by its owner only, and returns its absolute path. Throws an error that names the folder if that
 * fails. `sync`: makes the entry of a path in its parent folder survive a power failure; called for the folder and for
 * each parent that was created.
 */
export function prepareDataDir(path: string, sync = syncFolder): string {
  const dataDir = resolve(path)
  assertNoDeadLink(dataDir)
  try {
    const firstCreated = mkdirSync(dataDir, { recursive: true, mode: 0o700 }) ?? dataDir
    for (
      let created = dataDir;
      created.length >= firstCreated.length && created !== dirname(created);
      created = dirname(created)
    ) {
      syncIfPossible(created, sync)
    }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`the data folder ${path} cannot be made: ${problem}`, { cause })
  }
  return dataDir
}

function assertNoDeadLink(dataDir: string): void {
  const target = existsSync(dataDir) ? null : linkTarget(dataDir)
  if (target === null) return
  throw new Error(`the data folder ${dataDir} is a link to ${target}, which does not exist: is a disk not mounted?`)
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null // no link, or not there
  }
}

/** Ignores parent folders that nines may not read, or whose file system has no sync. */
function syncIfPossible(path: string, sync: (path: string) => void): void {
  try {
    sync(path)
  } catch (error) {
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EINVAL') throw error
  }
}

/**
 * The data folder, if other users of the machine can access it, and its databases that they can; each with the command that fixes
 * it.
 */
export function findExposed(dataDir: string): { path: string; mode: string; run: string }[] {
  if (!isShared(dataDir)) return []
  const files = ['nines.db', 'samples.db'].map((name) => join(dataDir, name)).filter(existsSync)
  const exposed = [dataDir, ...files.filter(isShared)]
  return exposed.map((path) => ({ path, mode: modeOf(path), run: `chmod ${path === dataDir ? 700 : 600} '${path}'` }))
}

/** Reads a secret of 32 random bytes from the data folder as `readSecret` does; creates it (mode 0600) at the first start. */
export function readOrCreateSecret(dataDir: string, name: string): string {
  const path = join(dataDir, name)
  if (!existsSync(path)) writeSecret(path)
  return readSecret(path)
}

/**
 * Reads the text of a secret's file: 64 hex digits. Throws if the file holds anything else, belongs to another user, can be
 * read by others, or cannot be read.
 */
export function readSecret(path: string): string {
  const ownUid = process.geteuid?.()
  const { uid } = statSync(path)
  if (ownUid !== undefined && uid !== ownUid) {
    throw new Error(
      `${path} must belong to the user who runs nines; it belongs to uid ${uid}: chown ${ownUid} '${path}'`,
    )
  }
  const secret = readText(path).trim()
  if (!/^[0-9a-f]{64}$/.test(secret)) throw new Error(`${path} does not hold 64 hex digits; restore it from a backup`)
  if (isShared(path)) {
    throw new Error(`${path} must be readable by its owner only; it has mode ${modeOf(path)}: chmod 600 '${path}'`)
  }
  return secret
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `${path} cannot be read: ${problem}; it must be a file that the user who runs nines can read: chmod 600 '${path}', or restore it from a backup`,
      { cause },
    )
  }
}

/** Replaces the secret in a file. A kill leaves either the old or the new one, complete. */
export function replaceSecret(path: string): void {
  replaceFile(path, newSecret())
}

/** Replaces the text in a file, readable by its owner only. A kill leaves either the old or the new one, complete. */
export function replaceFile(path: string, text: string): void {
  withDraft(path, text, (draft) => renameSync(draft, path))
  syncFolder(path)
}

/** Replaces a secret's file with another one, so that it survives a power failure. */
export function moveSecret(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(to)
}

/** Creates a secret's file. A kill leaves no half-written secret behind; throws if there is one already. */
function writeSecret(path: string): void {
  withDraft(path, newSecret(), (draft) => linkSync(draft, path))
  syncFolder(path)
}

function newSecret(): string {
  return `${randomBytes(32).toString('hex')}\n`
}

/** Writes a text to a draft, which is deleted in any case, even if the disk is full. */
function withDraft(path: string, text: string, use: (draft: string) => void): void {
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true }) // left by a killed process, maybe with another mode
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    use(draft)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Deletes drafts of secrets that killed processes have left: a draft may hold a secret that is in use now. */
export function removeDrafts(dataDir: string): void {
  const drafts = readdirSync(dataDir).filter((name) => /\.secret(?:\.next)?\.\d+$/.test(name))
  for (const name of drafts) rmSync(join(dataDir, name))
}

/** Makes a rename or link to this path survive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** True if group or others have any permission; always false on systems without modes. */
function isShared(path: string): boolean {
  return process.geteuid !== undefined && (statSync(path).mode & 0o077) !== 0
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8).padStart(4, '0')
}
