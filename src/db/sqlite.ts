import { readFileSync } from 'node:fs'
import type BetterSqlite3 from 'better-sqlite3'

/** An open SQLite file. */
export type Connection = BetterSqlite3.Database

/** Prepares statements of an open file. */
export type Statements = Pick<Connection, 'prepare'>

/** Opens a SQLite file: `new Database(path, { readonly })`. The only access to the native addon. */
export const Database = addonOfThisPlatform()

/** The native addon cannot be loaded; the message comes from the loader. */
export class NotLoadedError extends Error {}

let isLoaded = false

/** Throws `NotLoadedError` if the addon cannot be loaded, which happens when the first file is opened. */
export function assertSqliteLoads(): void {
  if (isLoaded) return
  try {
    new Database(':memory:').close()
    isLoaded = true
  } catch (cause) {
    throw new NotLoadedError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Set by scripts/compile.mjs to `glibc` or `musl`, because a bundler can fold a platform but not a C library. */
declare const BUILD_LIBC: string

/**
 * Uses one `require` per platform, each behind a test that the bundler folds, so that an executable has exactly one addon. The
 * package's plain entry point would look for node_modules at run time.
 */
function addonOfThisPlatform(): typeof BetterSqlite3 {
  if (process.platform === 'linux') {
    if (typeof BUILD_LIBC === 'undefined' ? runsOnMusl() : BUILD_LIBC === 'musl') {
      if (process.arch === 'x64') return require('better-sqlite3/linuxmusl-x64')
      if (process.arch === 'arm64') return require('better-sqlite3/linuxmusl-arm64')
    } else {
      if (process.arch === 'x64') return require('better-sqlite3/linux-x64')
      if (process.arch === 'arm64') return require('better-sqlite3/linux-arm64')
    }
  }
  if (process.platform === 'darwin' && process.arch === 'x64') return require('better-sqlite3/darwin-x64')
  if (process.platform === 'darwin' && process.arch === 'arm64') return require('better-sqlite3/darwin-arm64')
  throw new Error(
    `nines has no SQLite for ${process.platform}-${process.arch}; it runs on Linux and macOS, x64 and arm64`,
  )
}

/** True if this process has mapped the loader of musl; a file of that name may exist on any system. */
function runsOnMusl(): boolean {
  return readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-')
}
