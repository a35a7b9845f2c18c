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
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '../failures/constraints.ts'

/**
 * Makes the data folder, readable by its owner only, so that it outlives a power failure, and returns its absolute path. Throws,
 * naming it, where it cannot. `sync`: makes the name of what is at a path outlive a power failure.
 */
export function prepareDataDir(path: string, sync = syncFolder): string {
  const dataDir = resolve(path)
  try {
    const firstMade = mkdirSync(dataDir, { recursive: true, mode: 0o700 }) ?? dataDir
    for (let made = dataDir; made.length >= firstMade.length && made !== dirname(made); made = dirname(made)) {
      syncWhereKnown(made, sync)
    }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`the data folder ${path} cannot be made: ${problem}`, { cause })
  }
  return dataDir
}

/** A folder above may be one that nines may not read, or of a file system that has no sync. */
function syncWhereKnown(path: string, sync: (path: string) => void): void {
  try {
    sync(path)
  } catch (error) {
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EINVAL') throw error
  }
}

/** Of the data folder and what lies in it, what other users of the machine can get at, with the command that ends it. */
export function findExposed(dataDir: string): { path: string; mode: string; run: string }[] {
  if (!isShared(dataDir)) return []
  const files = ['nines.db', 'samples.db'].map((name) => join(dataDir, name)).filter(existsSync)
  const exposed = [dataDir, ...files.filter(isShared)]
  return exposed.map((path) => ({ path, mode: modeOf(path), run: `chmod ${path === dataDir ? 700 : 600} '${path}'` }))
}

/** A secret of 32 random bytes, kept in the data folder (mode 0600) and made at the first start; see `readSecret`. */
export function keepSecret(dataDir: string, name: string): string {
  const path = join(dataDir, name)
  if (!existsSync(path)) writeSecret(path)
  return readSecret(path)
}

/**
 * The text of a secret's file: 64 hex digits. Throws where the file holds something else, belongs to another user, can be
 * read by others or not at all.
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

/** Puts a new secret in place of what the file held. A kill leaves the one or the other, whole. */
export function replaceSecret(path: string): void {
  replaceFile(path, newSecret())
}

/** Puts a text in place of what a file held, readable by its owner only. A kill leaves the one or the other, whole. */
export function replaceFile(path: string, text: string): void {
  withDraft(path, text, (draft) => renameSync(draft, path))
  syncFolder(path)
}

/** Replaces a secret's file with another one, for good. */
export function moveSecret(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(to)
}

/** A kill in the middle leaves no half-written secret behind; throws where there is one. */
function writeSecret(path: string): void {
  withDraft(path, newSecret(), (draft) => linkSync(draft, path))
  syncFolder(path)
}

function newSecret(): string {
  return `${randomBytes(32).toString('hex')}\n`
}

/** Nothing of it stays, even where the disk is full. */
function withDraft(path: string, text: string, use: (draft: string) => void): void {
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true }) // of a process that was killed: its mode may be another
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    use(draft)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Removes what kills left of secrets that were being written: one of them may be the draft of a secret in use. */
export function removeDrafts(dataDir: string): void {
  const drafts = readdirSync(dataDir).filter((name) => /\.secret(?:\.next)?\.\d+$/.test(name))
  for (const name of drafts) rmSync(join(dataDir, name))
}

/** Makes what was just renamed or linked to this path outlive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Whether group or others have any right; never where there are no modes. */
function isShared(path: string): boolean {
  return process.geteuid !== undefined && (statSync(path).mode & 0o077) !== 0
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8).padStart(4, '0')
}
