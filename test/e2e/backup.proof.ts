import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyBackup } from '../../src/db/backup/verify-backup.ts'
import { writeBackup } from '../../src/db/backup/write-backup.ts'
import { Database } from '../../src/db/sqlite.ts'
import { closedFolder } from '../support/closed-folder.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, type Nines, newFolder, register, startNines } from '../support/process.ts'
import { checkout } from '../support/slo-calls.ts'

afterEach(closeAll)

function spawn(args: string[], dataDir: string) {
  const options = { cwd: newFolder(), env: { DATA_DIR: dataDir }, stdout: 'pipe', stderr: 'pipe' } as const
  const child = Bun.spawn([...command, ...args], options)
  closeLater(() => child.kill('SIGKILL'))
  return child
}

/** Runs `nines …` on a data folder and waits for its end. */
async function run(args: string[], dataDir: string) {
  const child = spawn(args, dataDir)
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

/** Creates SLOs one after the other until it is stopped; then returns the number acknowledged. */
function keepWriting(nines: Nines, token: string) {
  let [isStopped, acknowledged] = [() => false, 0]
  const write = async () => {
    while (!isStopped()) {
      const { status, text } = await nines.call('POST', '/api/v1/slos', checkout, token)
      if (status !== 201) throw new Error(text)
      acknowledged += 1
    }
  }
  const writing = write()
  return {
    acknowledged: () => acknowledged,
    async stop() {
      isStopped = () => true
      await writing
    },
  }
}

/** A data folder after a clean stop, with ballast that makes copying slow. */
async function usedFolder(megabytes = 0): Promise<string> {
  const dataDir = await closedFolder()
  const db = new Database(join(dataDir, 'nines.db'))
  db.exec('create table ballast (bytes)')
  for (let n = 0; n < megabytes; n += 1) db.exec('insert into ballast values (randomblob(1000000))')
  db.exec('drop table ballast') // its pages remain in the file
  db.close()
  return dataDir
}

const sloCount = async (nines: Nines, token: string) =>
  (await nines.call('GET', '/api/v1/slos', undefined, token)).body.total

const env = { SOURCE_URL: 'embedded', QUOTA_SLOS: '100000' }

test('what is backed up under load and restored elsewhere goes on, with all that was acknowledged before', async () => {
  const nines = await startNines({ dataDir: newFolder(), env })
  const token = await register(nines, 'ada')
  const dataDir = /"data_dir":"([^"]+)"/.exec(nines.log())?.[1] ?? ''
  const file = join(newFolder(), 'nines.tar')
  const writer = keepWriting(nines, token)
  const rounds: { before: number; after: number; count: number }[] = []
  for (const _ of ['first', 'second']) {
    const before = writer.acknowledged()
    expect(await run(['backup', file], dataDir)).toMatchObject({ err: '', code: 0 })
    const after = writer.acknowledged() + 1 // one may be under way
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const target = join(newFolder(), 'data')
    expect(await run(['restore', file], target)).toMatchObject({ err: '', code: 0 })
    expect(statSync(target).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(target)) expect(statSync(join(target, name)).mode & 0o077).toBe(0)
    const restored = await startNines({ dataDir: target, env })
    rounds.push({ before, after, count: await sloCount(restored, token) }) // its jwt.secret is the same
    restored.kill('SIGTERM')
    expect(await restored.exited).toBe(0)
  }
  await writer.stop()
  for (const { before, after, count } of rounds) {
    expect(count).toBeGreaterThanOrEqual(before)
    expect(count).toBeLessThanOrEqual(after)
  }
  expect(rounds[1]?.after).toBeGreaterThan(rounds[0]?.after ?? Infinity)
}, 60_000)

describe('backup', () => {
  test('adds to a folder without a server when it was made and nothing else, and wants one that has been used', async () => {
    const dataDir = await usedFolder()
    const before = readdirSync(dataDir)
    const file = join(newFolder(), 'nines.tar')
    const { out, err, code } = await run(['backup', file], dataDir)
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith(`${file}: jwt.secret, seal.secret, nines.db, samples.db of ${dataDir}, `)
    expect(readdirSync(dataDir).toSorted()).toEqual([...before, 'backup.last'].toSorted())
    expect(Date.parse(readFileSync(join(dataDir, 'backup.last'), 'utf8').trim())).toBeGreaterThan(Date.now() - 60_000)
    const unused = join(newFolder(), 'data')
    expect(await run(['backup', file], unused)).toEqual({
      out: '',
      err: `nines: there is no nines.db in ${unused}; set DATA_DIR\n`,
      code: 1,
    })
    expect(existsSync(unused)).toBe(false)
  })

  test('that is stopped leaves nothing, and the backup before it', async () => {
    const dataDir = await usedFolder(100)
    const folder = newFolder()
    const file = join(folder, 'nines.tar')
    writeFileSync(file, 'the one before')
    const begun = Promise.withResolvers<void>()
    const watcher = watch(folder, () => begun.resolve())
    const child = spawn(['backup', file], dataDir)
    await begun.promise
    watcher.close()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(143)
    expect(readdirSync(folder)).toEqual(['nines.tar'])
    expect(readFileSync(file, 'utf8')).toBe('the one before')
  })
})

test('a server makes the backups of its schedule, and each can be restored', async () => {
  const folder = join(newFolder(), 'backups')
  const settings = { ...env, BACKUP_SCHEDULE: '15 2 * * *', BACKUP_DIR: folder }
  const nines = await startNines({ dataDir: newFolder(), env: settings })
  const token = await register(nines, 'ada')
  expect((await nines.call('POST', '/api/v1/slos', checkout, token)).status).toBe(201)
  await nines.said(/"backup written"/) // none has been made of this folder before
  const [name = '', ...others] = readdirSync(folder)
  expect(name).toMatch(/^nines-\d{8}T\d{6}Z\.tar\.zst$/)
  expect(others).toEqual([])
  const target = join(newFolder(), 'data')
  expect(await run(['restore', join(folder, name)], target)).toMatchObject({ err: '', code: 0 })
  expect(await sloCount(await startNines({ dataDir: target, env }), token)).toBe(1)
})

test('a server that is stopped ends the backup that it is making, and leaves nothing of it', async () => {
  const folder = newFolder()
  const begun = Promise.withResolvers<void>()
  const watcher = watch(folder, () => begun.resolve())
  const settings = { ...env, BACKUP_SCHEDULE: '15 2 * * *', BACKUP_DIR: folder }
  const nines = await startNines({ dataDir: await usedFolder(100), env: settings })
  await begun.promise
  watcher.close()
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
  expect(readdirSync(folder)).toEqual([])
  expect(nines.log()).not.toContain('backup failed')
})

test('a backup that would not restore does not take its place', async () => {
  const dataDir = await usedFolder()
  const folder = newFolder()
  const file = join(folder, 'nines.tar')
  expect(await run(['backup', '--verify', file], dataDir)).toMatchObject({ err: '', code: 0 })
  expect(readdirSync(folder)).toEqual(['nines.tar'])
  const draft = join(folder, 'draft')
  mkdirSync(draft)
  const verify = async (archive: string) => {
    truncateSync(archive, statSync(archive).size - 2048)
    await verifyBackup(archive, draft)
  }
  const before = statSync(file).ino
  const writing = writeBackup({ dataDir, file, nowMs: Date.now() }, draft, verify)
  await expect(writing).rejects.toThrow('is not a backup of nines, or is damaged')
  expect(statSync(file).ino).toBe(before)
})

describe('restore', () => {
  test('refuses a folder that is in use, or has been, and changes nothing in it', async () => {
    const dataDir = await usedFolder()
    const file = join(newFolder(), 'nines.tar')
    await run(['backup', file], dataDir)
    const before = readdirSync(dataDir)
    const { err, code } = await run(['restore', file], dataDir)
    expect([err, code]).toEqual([expect.stringMatching(/^nines: the data folder \S+ must be empty, and there is /), 1])
    expect(readdirSync(dataDir)).toEqual(before)
  })

  test('of a backup that is cut off puts nothing in place', async () => {
    const file = join(newFolder(), 'nines.tar')
    await run(['backup', file], await usedFolder())
    truncateSync(file, statSync(file).size / 2)
    const target = newFolder()
    const { err, code } = await run(['restore', file], target)
    expect([err, code]).toEqual([
      `nines: ${file} is not a backup of nines, or is damaged: it is cut off; nothing has been restored\n`,
      1,
    ])
    expect(readdirSync(target)).toEqual(['nines.lock'])
  })

  test('that is killed leaves no database, and can be started again', async () => {
    const file = join(newFolder(), 'nines.tar')
    await run(['backup', file], await usedFolder(100))
    const target = newFolder()
    const begun = Promise.withResolvers<void>()
    const watcher = watch(target, (_, name) => name === 'restore.unfinished' && begun.resolve())
    const child = spawn(['restore', file], target)
    await begun.promise
    watcher.close()
    child.kill('SIGKILL')
    await child.exited
    expect(readdirSync(target)).not.toContain('nines.db')
    expect(await run(['restore', file], target)).toMatchObject({ err: '', code: 0 })
    expect(readdirSync(target).toSorted()).toEqual([
      'jwt.secret',
      'nines.db',
      'nines.lock',
      'samples.db',
      'seal.secret',
    ])
  })
})

test.each([
  [['backup'], 'none'],
  [['backup', 'a', 'b'], '"a b"'],
  [['restore'], 'none'],
  [['restore', 'a', 'b'], '"a b"'],
])('%j is a mistake that the usage follows', async (args, came) => {
  const { err, code } = await run(args, newFolder())
  expect([err, code]).toEqual([
    expect.stringContaining(`nines: ${args[0]} takes one FILE, got ${came}\nusage: nines ${args[0]} `),
    2,
  ])
})
