import { afterEach, expect, test } from 'bun:test'
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasLostFrames } from '../../../src/db/data-folder/wal-index.ts'
import { Database } from '../../../src/db/sqlite.ts'
import { closeAll } from '../../support/closing.ts'
import { checkpoint, damageFrame, endOf, framesIn, inUse, lostIn, wal } from './marked-folder.ts'

afterEach(closeAll)

const index = (dataDir: string) => join(dataDir, 'nines.db-shm')

/** A killed folder whose last commits came after the last mark and were checkpointed into the database. */
async function killedAfterCheckpoint() {
  const used = await inUse()
  await used.commit()
  await used.keep()
  checkpoint(used.dataDir)
  await used.commit(4)
  return { used, dataDir: used.killed() }
}

const lost = { sinceMs: 1_060_000, notedMs: 1_060_000, foundMs: 9_000_000 }

test.each<[string, (dataDir: string) => void]>([
  ['the log is missing', (dataDir) => rmSync(wal(dataDir))],
  ['the log is empty', (dataDir) => truncateSync(wal(dataDir))],
  ['the log ends early', (dataDir) => truncateSync(wal(dataDir), endOf(framesIn(wal(dataDir)) - 1))],
  ['the last frame is damaged', (dataDir) => damageFrame(wal(dataDir), framesIn(wal(dataDir)) - 1)],
  ['the first frame is damaged', (dataDir) => damageFrame(wal(dataDir), 0)],
])('what came after the last number is missed too where %s', async (_, lose) => {
  const { dataDir } = await killedAfterCheckpoint()
  lose(dataDir)
  expect(await lostIn(dataDir)).toEqual(lost)
})

test('a log from before its last restart is behind its index', async () => {
  const { used, dataDir } = await killedAfterCheckpoint()
  const older = readFileSync(wal(dataDir))
  checkpoint(used.dataDir)
  await used.commit()
  const later = used.killed()
  writeFileSync(wal(later), older)
  expect(await lostIn(later)).toEqual(lost)
})

test.each<[string, (dataDir: string) => void]>([
  ['log and index are as they were left', () => {}],
  ['the index is missing', (dataDir) => rmSync(index(dataDir))],
  ['the index was being written', (dataDir) => writeFileSync(index(dataDir), torn(readFileSync(index(dataDir))))],
  ['the index is cut off', (dataDir) => truncateSync(index(dataDir), 90)],
  [
    'something is behind the log that was not committed',
    (dataDir) => {
      const whole = readFileSync(wal(dataDir)).subarray(0, endOf(framesIn(wal(dataDir))))
      writeFileSync(wal(dataDir), Buffer.concat([whole, Buffer.alloc(5000, 7)]))
    },
  ],
  [
    'all was moved into the database before the log was removed',
    (dataDir) => {
      const db = new Database(join(dataDir, 'nines.db'))
      db.pragma('wal_checkpoint(PASSIVE)')
      const kept = readFileSync(index(dataDir))
      db.close()
      writeFileSync(index(dataDir), kept)
    },
  ],
])('nothing is lost where %s', async (_, change) => {
  const { dataDir } = await killedAfterCheckpoint()
  change(dataDir)
  expect(await lostIn(dataDir)).toBeNull()
})

function torn(bytes: Buffer): Buffer {
  bytes[20] = (bytes[20] ?? 0) ^ 1
  return bytes
}

test('an index that is older than the log, as a copy has that was made in between, is no loss', async () => {
  const { used, dataDir } = await killedAfterCheckpoint()
  checkpoint(used.dataDir)
  await used.commit()
  const later = used.killed()
  cpSync(index(dataDir), index(later))
  expect(await lostIn(later)).toBeNull()
})

test('an index from before the machine was restarted says nothing', async () => {
  const { dataDir } = await killedAfterCheckpoint()
  truncateSync(wal(dataDir))
  expect(await lostIn(dataDir, { bootId: 'boot-2' })).toBeNull()
})

test('a database that is missing has lost no frames, and is not made', async () => {
  const { dataDir } = await killedAfterCheckpoint()
  rmSync(join(dataDir, 'nines.db'))
  expect(hasLostFrames(join(dataDir, 'nines.db'))).toBe(false)
  expect(existsSync(join(dataDir, 'nines.db'))).toBe(false)
})
