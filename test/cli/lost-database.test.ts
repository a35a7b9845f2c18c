import { afterEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, newFolder, register, startNines } from '../support/process.ts'

afterEach(closeAll)

function spawn(args: string[], dataDir: string) {
  const env = { DATA_DIR: dataDir, PORT: '0', SHUTDOWN_GRACE: '0' }
  const child = Bun.spawn([...command, ...args], { cwd: newFolder(), env, stdout: 'ignore', stderr: 'pipe' })
  closeLater(() => child.kill('SIGKILL'))
  return child
}

test('a server without its database does not start, and does again with --new alone, without what was there', async () => {
  const dataDir = newFolder()
  const nines = await startNines({ dataDir, env: { SOURCE_URL: 'embedded' } })
  await register(nines, 'ada')
  nines.kill('SIGTERM')
  await nines.exited
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `nines.db${suffix}`), { force: true })
  for (const args of [[], ['serve'], ['demo']]) {
    const refused = spawn(args, dataDir)
    expect([await refused.stderr.text(), await refused.exited]).toEqual([
      expect.stringContaining(`nines: ${join(dataDir, 'nines.db')} is missing, and `),
      1,
    ])
  }
  expect(existsSync(join(dataDir, 'nines.db'))).toBe(false)
  const fresh = spawn(['serve', '--new'], dataDir)
  let [said, isStopped] = ['', false]
  for await (const chunk of fresh.stderr) {
    said += Buffer.from(chunk).toString()
    if (isStopped || !said.includes('no account yet')) continue
    isStopped = true // a second signal would end it with code 1
    fresh.kill('SIGTERM')
  }
  expect(await fresh.exited).toBe(0)
  const aside = /what was left in \S+ is in (\S+)/.exec(said)?.[1] ?? ''
  const left = readdirSync(aside).filter((name) => name !== 'clock.last') // is there after some seconds
  expect(left.toSorted()).toEqual(['jwt.secret', 'samples.db', 'seal.secret'])
  const again = spawn(['serve', '--new'], dataDir)
  expect([await again.stderr.text(), await again.exited]).toEqual([
    expect.stringContaining('--new is for a data folder that has lost it; leave it out'),
    1,
  ])
}, 60_000)
