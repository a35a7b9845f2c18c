import { afterEach, expect, test } from 'bun:test'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { prepareBackup, writeBackup } from '../../../src/db/backup/write-backup.ts'
import { readTarHeader, tarHeader } from '../../../src/db/backup/tar.ts'
import { assertEmpty, restoreBackup, unfinishedName } from '../../../src/db/backup/restore-backup.ts'
import { readOrCreateSecret } from '../../../src/db/data-folder/data-dir.ts'
import { openDatabase } from '../../../src/db/open.ts'
import { openSeal } from '../../../src/db/sealing/keys.ts'
import { Database } from '../../../src/db/sqlite.ts'
import { closeAll } from '../../support/closing.ts'
import { newFolder } from '../../support/process.ts'

afterEach(closeAll)

/** A data folder with two databases, each with a counter and `megabytes` of ballast, and two secrets. */
function newData(megabytes: number): { dataDir: string; countUp(): void; count(dataDir: string): unknown[] } {
  const dataDir = newFolder()
  const open = (folder: string) => ['nines.db', 'samples.db'].map((name) => new Database(join(folder, name)))
  const databases = open(dataDir)
  for (const db of databases) {
    db.pragma('journal_mode = WAL')
    db.exec('create table counter (n); insert into counter values (0); create table ballast (bytes)')
    db.exec('create table instance (seal_key_id)')
    const insert = db.prepare('insert into ballast values (randomblob(1000000))')
    for (let n = 0; n < megabytes; n += 1) insert.run()
  }
  for (const name of ['jwt.secret', 'seal.secret']) readOrCreateSecret(dataDir, name)
  return {
    dataDir,
    countUp: () =>
      databases.forEach((db) =>
        db.exec('update counter set n = n + 1; insert into ballast values (randomblob(20000))'),
      ),
    count: (folder) => open(folder).map((db) => db.prepare('select n from counter').pluck().get()),
  }
}

async function backUp(dataDir: string, file: string): Promise<void> {
  const place = prepareBackup({ dataDir, file })
  try {
    await writeBackup({ dataDir, file, nowMs: 0 }, place.folder)
  } finally {
    place.remove()
  }
}

test('both databases are as they were at one moment, however much is written during the backup', async () => {
  const { dataDir, countUp, count } = newData(12)
  const [outside, restored] = [newFolder(), newFolder()]
  countUp()
  let written = 0
  const writer = setInterval(() => {
    countUp()
    written += 1
  }, 0)
  await backUp(dataDir, join(outside, 'nines.tar')).finally(() => clearInterval(writer))
  expect(written).toBeGreaterThan(2) // while pages were copied
  expect(readdirSync(outside)).toEqual(['nines.tar'])
  expect(statSync(join(outside, 'nines.tar')).mode & 0o777).toBe(0o600)
  await restoreBackup(join(outside, 'nines.tar'), restored)
  const [first, second] = count(restored)
  expect(first).toBe(second)
  for (const name of ['jwt.secret', 'seal.secret']) {
    expect(readFileSync(join(restored, name), 'utf8')).toBe(readFileSync(join(dataDir, name), 'utf8'))
    expect(statSync(join(restored, name)).mode & 0o777).toBe(0o600)
  }
})

test('a backup is an archive that tar reads and sha256sum verifies', async () => {
  const { dataDir } = newData(0)
  const outside = newFolder()
  await backUp(dataDir, join(outside, 'nines.tar'))
  const run = (...cmd: string[]) => Bun.spawnSync(cmd, { cwd: outside, stderr: 'inherit' })
  expect(run('tar', '-xf', 'nines.tar').exitCode).toBe(0)
  const { exitCode, stdout } = run('sha256sum', '-c', 'SHA256SUMS')
  expect([exitCode, stdout.toString().split('\n').length]).toEqual([0, 5])
})

test('a backup whose name ends with .zst is smaller, is what zstd unpacks, and is restored like another', async () => {
  const { dataDir, countUp, count } = newData(0)
  countUp()
  const [outside, restored] = [newFolder(), newFolder()]
  const files = ['nines.tar', 'nines.tar.zst'].map((name) => join(outside, name))
  for (const file of files) await backUp(dataDir, file)
  const [plainBytes = 0, packedBytes = 0] = files.map((file) => statSync(file).size)
  expect(packedBytes).toBeLessThan(plainBytes)
  expect(statSync(files[1] ?? '').mode & 0o777).toBe(0o600)
  const unpacked = Bun.zstdDecompressSync(readFileSync(files[1] ?? ''))
  expect(unpacked.subarray(257, 262).toString()).toBe('ustar')
  await restoreBackup(files[1] ?? '', restored)
  expect(count(restored)).toEqual([1, 1])
  expect(readdirSync(outside).toSorted()).toEqual(['nines.tar', 'nines.tar.zst'])
})

test.each([0.3, 0.9, 0.999])('a compressed backup of which %d is left puts nothing in place', async (share) => {
  const [file, restored] = [join(newFolder(), 'nines.tar.zst'), newFolder()]
  await backUp(newData(1).dataDir, file)
  truncateSync(file, Math.floor(statSync(file).size * share))
  await expect(restoreBackup(file, restored)).rejects.toThrow('nothing has been restored')
  expect(readdirSync(restored)).toEqual([])
})

test('a data folder that is replaced during its backup is not backed up, and the backup before it stays', async () => {
  const { dataDir } = newData(1)
  const file = join(newFolder(), 'nines.tar')
  writeFileSync(file, 'the one before')
  const backingUp = backUp(dataDir, file)
  renameSync(dataDir, join(newFolder(), 'moved')) // while the databases are open
  await expect(backingUp).rejects.toThrow('was moved, removed or replaced')
  expect(readFileSync(file, 'utf8')).toBe('the one before')
})

test('the header of a file of 20 GiB says so', () => {
  const entry = { name: 'samples.db', size: 20 * 2 ** 30 }
  expect(readTarHeader(tarHeader(entry, 0))).toEqual({ ...entry, modifiedMs: 0 })
})

test('a backup replaces the one before it, and clears up after one that was killed', async () => {
  const { dataDir } = newData(0)
  const outside = newFolder()
  writeFileSync(join(outside, 'nines.tar'), 'the one before')
  const { pid } = Bun.spawnSync(['true'])
  mkdirSync(join(outside, `nines.tar.part-${pid}`))
  await backUp(dataDir, join(outside, 'nines.tar'))
  expect(readdirSync(outside)).toEqual(['nines.tar'])
  expect(statSync(join(outside, 'nines.tar')).size).toBeGreaterThan(4096)
})

test('a scheduled backup clears up after others that were killed, and leaves what is written or not of nines', async () => {
  const { dataDir } = newData(0)
  const outside = newFolder()
  const { pid } = Bun.spawnSync(['true'])
  const kept = [`nines-20261128T021500Z.tar.zst.part-1`, `notes.part-${pid}`, 'nines-20261128T021500Z.tar.zst.part-x']
  for (const name of [...kept, `nines-20261127T021500Z.tar.zst.part-${pid}`]) mkdirSync(join(outside, name))
  await backUp(dataDir, join(outside, 'nines-20261129T021500Z.tar.zst'))
  expect(readdirSync(outside).toSorted()).toEqual([...kept, 'nines-20261129T021500Z.tar.zst'].toSorted())
})

test('a damaged database is not backed up, and the backup before it stays', async () => {
  const { dataDir } = newData(1)
  const file = join(newFolder(), 'nines.tar')
  writeFileSync(file, 'the one before')
  const db = new Database(join(dataDir, 'samples.db'))
  db.exec('pragma wal_checkpoint(TRUNCATE)')
  const rootPage = Number(db.prepare("select rootpage from sqlite_schema where name = 'counter'").pluck().get())
  db.close()
  const bytes = readFileSync(join(dataDir, 'samples.db'))
  bytes.fill(0xff, (rootPage - 1) * 4096, rootPage * 4096)
  writeFileSync(join(dataDir, 'samples.db'), bytes)
  await expect(backUp(dataDir, file)).rejects.toThrow('samples.db is damaged')
  expect(readFileSync(file, 'utf8')).toBe('the one before')
})

test('a seal.secret that is missing, or of another database, is said and not backed up', async () => {
  const dataDir = newFolder()
  await openDatabase({ dataDir }).close()
  openSeal(dataDir)
  const file = join(newFolder(), 'nines.tar')
  writeFileSync(join(dataDir, 'seal.secret'), 'f'.repeat(64))
  await expect(backUp(dataDir, file)).rejects.toThrow('seal.secret is not the one that nines.db is sealed with')
})

test.each([
  ['in the data folder', (dataDir: string) => join(dataDir, 'nines.db'), 'must not lie in the data folder'],
  ['in a link to the data folder', linked, 'must not lie in the data folder'],
  ['in no folder', () => '/nowhere/at/all/nines.tar', 'there is no folder /nowhere/at/all'],
  ['that is a folder', () => newFolder(), 'is a folder; name a file in it'],
  ['that is a device', () => '/dev/null', 'is not a regular file'],
])('a file %s is refused', (_, fileFor, problem) => {
  const { dataDir } = newData(0)
  const before = readdirSync(dataDir)
  expect(() => prepareBackup({ dataDir, file: fileFor(dataDir) })).toThrow(problem)
  expect(readdirSync(dataDir)).toEqual(before)
})

function linked(dataDir: string): string {
  const link = join(newFolder(), 'link')
  symlinkSync(dataDir, link)
  return join(link, 'nines.tar')
}

test('a backup that is cut off anywhere restores nothing', async () => {
  const { dataDir } = newData(0)
  const file = join(newFolder(), 'nines.tar')
  await backUp(dataDir, file)
  const { size } = statSync(file)
  for (const length of [size - 1, size - 1024, size - 1500, size - 3000, size / 2, 512, 100, 0]) {
    truncateSync(file, Math.floor(length))
    const target = newFolder()
    expect(await refusal(file, target)).toContain('is not a backup of nines, or is damaged: ')
    expect(readdirSync(target)).toEqual([])
  }
})

test('a backup with one other bit restores nothing, wherever that is', async () => {
  const { dataDir } = newData(0)
  const file = join(newFolder(), 'nines.tar')
  await backUp(dataDir, file)
  const whole = readFileSync(file)
  for (let offset = 0; offset < whole.length; offset += 197) {
    const spoilt = Buffer.from(whole)
    spoilt[offset] = (spoilt[offset] ?? 0) ^ 4
    writeFileSync(file, spoilt)
    const target = newFolder()
    expect([offset, await refusal(file, target)]).toEqual([
      offset,
      expect.stringContaining('nothing has been restored'),
    ])
    expect(readdirSync(target)).toEqual([])
  }
})

test('names that are none of ours are refused, such as those that lead out of the folder', async () => {
  const file = join(newFolder(), 'other.tar')
  writeFileSync(file, Buffer.concat([tarHeader({ name: '../nines.db', size: 0 }, 0), Buffer.alloc(1024)]))
  expect(await refusal(file, newFolder())).toContain('there is no place for ../nines.db')
})

async function refusal(file: string, dataDir: string): Promise<string> {
  return restoreBackup(file, dataDir).then(
    () => 'restored',
    (error: Error) => error.message,
  )
}

test.each([
  [[], true],
  [['nines.lock', 'lost+found', 'nines.db-wal', 'nines.db-shm', 'samples.db-wal'], true],
  [['nines.db'], false],
  [['samples.db'], false],
  [['seal.secret'], false],
  [['notes.txt'], false],
  [[unfinishedName, 'samples.db', 'seal.secret'], true],
  [[unfinishedName, 'samples.db', 'nines.db'], false],
  [[unfinishedName, 'notes.txt'], false],
])('a folder with %j is empty: %p', (names, isEmpty) => {
  const dataDir = newFolder()
  for (const name of names) writeFileSync(join(dataDir, name), '')
  const check = () => assertEmpty(dataDir)
  if (isEmpty) check()
  else expect(check).toThrow(`the data folder ${dataDir} must be empty`)
})

test('logs of databases that were removed are discarded, so that they are not taken for those of the restored ones', async () => {
  const { dataDir, count } = newData(0)
  const file = join(newFolder(), 'nines.tar')
  await backUp(dataDir, file)
  const target = newFolder()
  for (const name of ['nines.db-wal', 'nines.db-shm', 'samples.db-wal']) writeFileSync(join(target, name), 'stale')
  await restoreBackup(file, target)
  expect(readdirSync(target).toSorted()).toEqual(['jwt.secret', 'nines.db', 'samples.db', 'seal.secret'])
  expect(count(target)).toEqual([0, 0])
})
