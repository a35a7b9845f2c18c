import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'bun:test'
import { newFolder } from './process.ts'

/** Wall clock of a child process, which `set` shifts while it runs. Its monotonic clock is not affected. */
export type FakeTime = { env: Record<string, string>; set(shift: string): void }

const [library] = new Bun.Glob('usr/lib/*/faketime/libfaketimeMT.so.1').scanSync({ cwd: '/' })

export const hasFakeTime = library !== undefined

/** Fakes the clock of a child process. `shift`: offset from the real time, as in `-1h` or `+40d`. */
export function fakeTime(shift = '+0'): FakeTime {
  const file = join(newFolder(), 'shift')
  const set = (to: string) => writeFileSync(file, `${to}\n`)
  set(shift)
  const env = {
    LD_PRELOAD: `/${library}`,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set }
}

/** Describes tests that need libfaketime. Without it they are skipped with a message, or fail in CI. */
export function describeWithFakeTime(name: string, tests: () => void): void {
  const skipped = !hasFakeTime && process.env['CI'] !== 'true'
  if (skipped)
    process.stderr.write(`Skipped, "${name}": not installed: libfaketime (Debian: apt-get install faketime)\n`)
  const run = skipped ? describe.skip : describe
  run(name, tests)
}
