import { describe } from 'bun:test'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeLater } from './closing.ts'

/** A small file system in memory. */
export type SmallDisk = {
  /** An empty folder on it. */
  folder: string
  /** Takes all free space. */
  fill(): void
  free(): void
  /** Remounts it read-only. No file on it may be open for writing. */
  makeReadOnly(): void
}

/** Describes tests that need a file system. If mounting is not permitted they are skipped with a message, or fail in CI. */
export function describeOnSmallDisk(name: string, tests: () => void) {
  const skipped = !canMount() && process.env['CI'] !== 'true'
  if (skipped)
    process.stderr.write(`Skipped, "${name}": mounting a file system is not permitted (root on Linux is needed)\n`)
  const run = skipped ? describe.skip : describe
  run(name, tests)
}

/** Mounts one. It is unmounted after the test, in a file that has `afterEach(closeAll)`. */
export function smallDisk(bytes: number): SmallDisk {
  const place = mkdtempSync(join(tmpdir(), 'nines-disk-'))
  if (!mount(place, bytes)) throw new Error('the file system cannot be mounted')
  closeLater(() => {
    Bun.spawnSync(['umount', '-l', place])
    rmSync(place, { recursive: true, force: true })
  })
  const folder = join(place, 'data')
  mkdirSync(folder, { mode: 0o700 })
  const filler = join(place, 'filler')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a')
      for (const size of [1024 * 1024, 4096]) writeAll(file, size)
      closeSync(file)
    },
    free: () => rmSync(filler, { force: true }),
    makeReadOnly: () => void Bun.spawnSync(['mount', '-o', 'remount,ro', place]),
  }
}

function writeAll(file: number, size: number): void {
  const bytes = Buffer.alloc(size)
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

function mount(place: string, bytes: number): boolean {
  if (Bun.which('mount') === null) return false
  return Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'none', place]).success
}

function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'nines-disk-'))
  const isMounted = mount(place, 4096)
  if (isMounted) Bun.spawnSync(['umount', '-l', place])
  rmSync(place, { recursive: true, force: true })
  return isMounted
}
