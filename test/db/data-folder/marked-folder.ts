import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLogCut } from '../../../src/db/data-folder/commit-mark.ts'
import { openDatabase } from '../../../src/db/open.ts'
import { Database } from '../../../src/db/sqlite.ts'
import { newDataDir } from '../../support/app.ts'
import { closeLater } from '../../support/closing.ts'
import { copyOf } from '../../support/template-data-dir.ts'

/** Start of each world's clock, in milliseconds. */
export const startMs = 1_000_000

/** A data folder in use. `killed`: copies what a SIGKILL at this moment would leave. */
export async function inUse(dataDir = newDataDir()) {
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  const db = openDatabase({ dataDir })
  const time = { nowMs: startMs }
  const clock = { now: () => time.nowMs }
  const mark = db.openMark({ clock, stopwatch: clock, bootId: 'boot-1', isCut: false })
  const commit = async (rows = 1) => {
    for (let row = 0; row < rows; row += 1) {
      await db.write
        .insertInto('organizations')
        .values({ name: 'x'.repeat(3000), created_at: 1 })
        .execute()
    }
  }
  const keep = async (afterMs = 60_000) => {
    time.nowMs += afterMs
    await mark.keep()
  }
  const killed = () => {
    const copy = copyOf(dataDir)
    closeLater(() => rmSync(copy, { recursive: true, force: true }))
    return copy
  }
  let isOpen = true
  const close = async () => {
    if (isOpen) await db.close()
    isOpen = false
  }
  closeLater(() => void close())
  return { dataDir, db, time, mark, commit, keep, killed, close }
}

/** Loss that a start in the folder detects, at a later time. */
export async function lostIn(dataDir: string, { nowMs = 9_000_000, bootId = 'boot-1' } = {}) {
  const isCut = isLogCut(join(dataDir, 'nines.db'), bootId)
  const db = openDatabase({ dataDir })
  const clock = { now: () => nowMs }
  const lost = db.openMark({ clock, stopwatch: clock, bootId, isCut }).lost()
  await db.close()
  return lost
}

/** Path of the write-ahead log in a folder. */
export const wal = (dataDir: string) => join(dataDir, 'nines.db-wal')
/** Another connection that has checkpointed the log into the database. */
export const checkpoint = (dataDir: string) => {
  const other = new Database(join(dataDir, 'nines.db'))
  other.pragma('wal_checkpoint(PASSIVE)')
  return other
}
const [headerBytes, frameBytes] = [32, 24 + 4096]
/** Offset in bytes after so many frames of a log. */
export const endOf = (frames: number) => headerBytes + frames * frameBytes

/** Number of frames in the current log. Frames of an earlier log may follow them. */
export function framesIn(path: string): number {
  const bytes = readFileSync(path)
  const salt = bytes.subarray(16, 24)
  let frames = 0
  while (bytes.subarray(endOf(frames) + 8, endOf(frames) + 16).equals(salt)) frames += 1
  return frames
}

/** Changes one byte of the page in a frame. */
export function damageFrame(path: string, frame: number): void {
  const bytes = readFileSync(path)
  const offset = endOf(frame) + 100
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
