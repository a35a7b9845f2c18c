import { afterEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closedFolder } from '../support/closed-folder.ts'
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
  const dataDir = await closedFolder()
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
  // clock.last is written after some seconds
  const left = readdirSync(aside).filter((name) => name !== 'clock.last')
  expect(left.toSorted()).toEqual(['jwt.secret', 'samples.db', 'seal.secret'])
  const again = spawn(['serve', '--new'], dataDir)
  expect([await again.stderr.text(), await again.exited]).toEqual([
    expect.stringContaining('--new is for a data folder that has lost it; leave it out'),
    1,
  ])
}, 60_000)

test('a server without its samples.db does not start, and goes on without them with --new-samples', async () => {
  const dataDir = await closedFolder()
  const path = join(dataDir, 'samples.db')
  for (const lose of [() => rmSync(path), () => writeFileSync(path, '')]) {
    lose()
    for (const args of [[], ['serve'], ['demo']]) {
      const refused = spawn(args, dataDir)
      expect([await refused.stderr.text(), await refused.exited]).toEqual([
        expect.stringMatching(/^nines: \S+samples\.db: missing or empty, .* nines serve --new-samples, which goes on/),
        1,
      ])
    }
  }
  const nines = await startNines({ dataDir, program: [...command, 'serve', '--new-samples'] })
  expect((await nines.call('GET', '/ready')).status).toBe(200)
  expect(statSync(path).mode & 0o077).toBe(0)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
  const again = spawn(['serve', '--new-samples'], dataDir)
  expect([await again.stderr.text(), await again.exited]).toEqual([
    expect.stringContaining('--new-samples is for a data folder that has lost its samples.db'),
    1,
  ])
}, 60_000)

/** Kills a server whose data are still in the write-ahead log. */
async function killAfter(dataDir: string, name: string): Promise<void> {
  const nines = await startNines({ dataDir, env: { SOURCE_URL: 'embedded' } })
  await register(nines, name)
  for (let tries = 0; tries < 500 && !existsSync(join(dataDir, 'nines.db-mark')); tries += 1)
    await nines.call('GET', '/health')
  nines.kill('SIGKILL')
  await nines.exited
}

test('a start after a kill says since when commits may be missing where the log is lost, and nothing where it is there', async () => {
  const dataDir = await closedFolder()
  await killAfter(dataDir, 'grace')
  const whole = await startNines({ dataDir })
  expect(whole.log()).not.toContain('commits may be missing')
  whole.kill('SIGTERM')
  await whole.exited
  await killAfter(dataDir, 'edsger')
  for (const suffix of ['-wal', '-shm']) rmSync(join(dataDir, `nines.db${suffix}`))
  const robbed = await startNines({ dataDir })
  expect(robbed.log()).toMatch(/"level":"error","message":"commits may be missing","file":"nines.db","since":"20/)
}, 60_000)
