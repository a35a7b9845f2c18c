import { afterEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from '../../../src/db/sqlite.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { seeded } from '../../support/seeded.ts'
import { newDataDir } from '../../support/app.ts'
import { endOf, framesIn, inUse, lostIn, wal } from './marked-folder.ts'

afterEach(closeAll)

const pageBytes = 4096
type Files = { db: Buffer; log: Buffer | undefined; note: Buffer | undefined }

function read(dataDir: string): Files {
  const bytes = (name: string) => (existsSync(join(dataDir, name)) ? readFileSync(join(dataDir, name)) : undefined)
  return { db: readFileSync(join(dataDir, 'nines.db')), log: bytes('nines.db-wal'), note: bytes('nines.db-mark') }
}

/** A folder as after a power failure: unsynced data are present, missing, or garbage. */
function folderOf({ db, log, note }: Files): string {
  const dataDir = newDataDir()
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(dataDir, 'nines.db'), db)
  if (log) writeFileSync(wal(dataDir), log)
  if (note) writeFileSync(join(dataDir, 'nines.db-mark'), note)
  return dataDir
}

/** A database during a checkpoint: each page is the old or the new one. */
function mixed(before: Buffer, after: Buffer, random: () => number): Buffer {
  const pages = Math.ceil(after.length / pageBytes)
  const page = (from: Buffer, at: number) => from.subarray(at * pageBytes, (at + 1) * pageBytes)
  return Buffer.concat(
    Array.from({ length: pages }, (_, at) => {
      const old = page(before, at)
      return old.length > 0 && random() < 0.5 ? old : page(after, at)
    }),
  )
}

test.each([1])(
  'a power failure at any moment is not taken for a loss (seed %d)',
  async (seed) => {
    const random = seeded(seed)
    const used = await inUse()
    await used.keep(0)
    let states = 0
    const check = async (files: Files) => {
      expect(await lostIn(folderOf(files))).toBeNull()
      states += 1
    }
    for (let step = 0; step < 40; step += 1) {
      const before = read(used.dataDir)
      const kind = random()
      if (kind < 0.5) await used.commit(1 + Math.floor(random() * 5))
      else if (kind < 0.75) await used.keep(random() < 0.5 ? 1000 : 60_000)
      else {
        const other = new Database(join(used.dataDir, 'nines.db'))
        other.pragma(`wal_checkpoint(${random() < 0.5 ? 'PASSIVE' : 'TRUNCATE'})`)
        other.close()
        await check({ ...before, db: mixed(before.db, readFileSync(join(used.dataDir, 'nines.db')), random) })
      }
      const now = read(used.dataDir)
      await check(now)
      await check({ ...now, note: before.note }) // the rename had not reached the disk
      await check({ ...now, note: Buffer.alloc(random() < 0.5 ? 0 : 30) })
      if (!now.log || now.log.length === 0) continue
      const end = endOf(framesIn(wal(used.dataDir)))
      await check({
        ...now,
        log: Buffer.concat([now.log.subarray(0, end), crypto.getRandomValues(Buffer.alloc(9000))]),
      })
      await check({ ...now, log: Buffer.from(now.log.subarray(0, end)) })
    }
    expect(states).toBeGreaterThan(100)
  },
  60_000,
)
