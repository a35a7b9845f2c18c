import { afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../../../src/db/data-folder/lock.ts'
import { newDataDir, testApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

afterEach(closeAll)

const inUse = (path: string) => `the data folder ${path} is in use by another nines`
const source = join(import.meta.dir, '..', '..', '..', 'src', 'db', 'data-folder', 'lock.ts')

function folder(): string {
  const path = newDataDir()
  closeLater(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Starts a process that locks the folder or prints why it could not, and runs until it is killed. */
async function otherProcess(dataDir: string) {
  const script = `import { lockDataDir } from ${JSON.stringify(source)}
    try { lockDataDir(process.argv.at(-1)); console.log('locked') } catch (error) { console.log(error.message) }
    await new Promise(() => setInterval(() => {}, 1000))`
  const child = Bun.spawn([process.execPath, '-e', script, dataDir], { stdout: 'pipe', stderr: 'inherit' })
  closeLater(() => child.kill('SIGKILL'))
  const { value } = await child.stdout.getReader().read()
  const kill = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  return {
    said: Buffer.from(value ?? [])
      .toString()
      .trim(),
    kill,
  }
}

describe('the data folder', () => {
  test('is held by one at a time, and free again once released', () => {
    const path = folder()
    const lock = lockDataDir(path)
    expect(() => lockDataDir(path)).toThrow(inUse(path))
    lock.release()
    lockDataDir(path).release()
  })

  test('held here is refused to another process', async () => {
    const path = folder()
    const lock = lockDataDir(path)
    expect((await otherProcess(path)).said).toBe(inUse(path))
    lock.release()
  })

  test('held by another process is refused here, and free once that one is killed', async () => {
    const path = folder()
    const other = await otherProcess(path)
    expect(other.said).toBe('locked')
    expect(() => lockDataDir(path)).toThrow(inUse(path))
    await other.kill()
    lockDataDir(path).release()
  })

  test('holds nothing but the lock, which stays empty', () => {
    const path = folder()
    const lock = lockDataDir(path)
    expect(readdirSync(path)).toEqual(['nines.lock'])
    expect(Bun.file(join(path, 'nines.lock')).size).toBe(0)
    lock.release()
  })

  test('that cannot be written is not said to be in use', () => {
    const path = folder()
    mkdirSync(join(path, 'nines.lock')) // permissions would not stop root
    expect(() => lockDataDir(path)).toThrow(`the data folder ${path} cannot be written: unable to open database file`)
  })
})

test('a second app on the same folder is refused and disturbs nothing', async () => {
  const first = await joinedApp()
  await expect(testApp({ dataDir: first.dataDir })).rejects.toThrow(inUse(first.dataDir))
  expect((await first.call('GET', '/api/v1/auth/me')).status).toBe(200)
  expect((await first.call('GET', '/ready')).status).toBe(200)
  await first.close()
})
