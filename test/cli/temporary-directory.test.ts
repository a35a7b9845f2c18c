import { afterEach, expect, test } from 'bun:test'
import { describeUnloadable } from '../../src/cli/run.ts'
import { NotLoadedError } from '../../src/db/sqlite.ts'
import { closeAll } from '../support/closing.ts'
import { launch, newFolder } from '../support/process.ts'

afterEach(closeAll)

test.each([
  [{ BUN_TMPDIR: '/a', TMPDIR: '/b' }, '/a'],
  [{ TMPDIR: '/b' }, '/b'],
  [{}, '/tmp'],
])('an addon that cannot be unpacked names the temporary directory of %j, and the setting', (env, folder) => {
  expect(describeUnloadable(new NotLoadedError('no room'), env)).toBe(
    `SQLite cannot be loaded from the temporary directory ${folder}: no room; set BUN_TMPDIR to a folder that can be written to and is not mounted noexec`,
  )
})

test('an executable without a temporary directory says so', async () => {
  if (process.env['NINES_BIN'] === undefined) return // from source nothing is unpacked
  const nines = launch({ dataDir: newFolder(), env: { BUN_TMPDIR: '/nowhere/at/all' } })
  expect(await nines.exited).toBe(1)
  expect(nines.log()).toStartWith('nines: SQLite cannot be loaded from the temporary directory /nowhere/at/all: ')
})
