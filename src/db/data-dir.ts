import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Makes the data folder, readable by its owner only, and returns its absolute path. Throws, naming it, where it cannot. */
export function prepareDataDir(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`the data folder ${path} cannot be made: ${problem}`, { cause })
  }
  return resolve(path)
}

/**
 * A secret of 32 random bytes, kept in the data folder (mode 0600) and made at the first start. Returned as the text in
 * the file: 64 hex digits. Throws when the file holds something else.
 */
export function keepSecret(dataDir: string, name: string): string {
  const path = join(dataDir, name)
  if (!existsSync(path)) writeWhole(path, `${randomBytes(32).toString('hex')}\n`)
  const secret = readFileSync(path, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(secret)) throw new Error(`${path} does not hold 64 hex digits; restore it from a backup`)
  return secret
}

/** A kill in the middle leaves no half-written secret behind. */
function writeWhole(path: string, content: string): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content, { mode: 0o600, flush: true })
  linkSync(draft, path)
  rmSync(draft)
}
