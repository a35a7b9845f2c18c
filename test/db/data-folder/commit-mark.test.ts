import { afterEach, describe, expect, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCommitMark } from '../../../src/db/data-folder/commit-mark.ts'
import { openDatabase } from '../../../src/db/open.ts'
import { openSamples } from '../../../src/db/open-samples.ts'
import { newDataDir } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { copyOf } from '../../support/template-data-dir.ts'
import { checkpoint, damageFrame, endOf, framesIn, inUse, lostIn, startMs, wal } from './marked-folder.ts'
import { watchFiles } from '../../../src/db/data-folder/database-files.ts'

afterEach(closeAll)

describe('a start after a kill', () => {
  /**
   * A killed folder: commits marked at 1,060,000 are in the database, those marked at 1,120,000 and 1,180,000 in the log only.
   */
  async function killedWithLog() {
    const used = await inUse()
    await used.commit()
    await used.keep()
    checkpoint(used.dataDir)
    const older = readFileSync(wal(used.dataDir))
    await used.commit()
    await used.keep()
    const framesBefore = framesIn(wal(used.dataDir))
    await used.commit(3)
    await used.keep()
    const dataDir = used.killed()
    rmSync(join(dataDir, 'nines.db-shm'), { force: true })
    return { dataDir, older, framesBefore }
  }

  test('that finds the log as it was left finds nothing lost', async () => {
    const { dataDir } = await killedWithLog()
    expect(await lostIn(dataDir)).toBeNull()
  })

  test.each<[string, number, (dataDir: string, older: Buffer, framesBefore: number) => void]>([
    ['without the log', 1_060_000, (dataDir) => rmSync(wal(dataDir))],
    ['with an empty log', 1_060_000, (dataDir) => truncateSync(wal(dataDir))],
    ['with an older log', 1_060_000, (dataDir, older) => writeFileSync(wal(dataDir), older)],
    ['with the header of the log damaged', 1_060_000, (dataDir) => writeFileSync(wal(dataDir), 'x'.repeat(9000))],
    ['with a log that is shorter', 1_120_000, (dataDir, _, frames) => truncateSync(wal(dataDir), endOf(frames + 1))],
    ['with a frame of the log damaged', 1_120_000, (dataDir, _, frames) => damageFrame(wal(dataDir), frames)],
    [
      'with an older database',
      1_060_000,
      (dataDir) => {
        const folder = newDataDir()
        closeLater(() => rmSync(folder, { recursive: true, force: true }))
        cpSync(join(dataDir, 'nines.db'), join(folder, 'nines.db'))
        rmSync(wal(dataDir))
      },
    ],
  ])('%s says since when commits may be missing', async (_, sinceMs, lose) => {
    const { dataDir, older, framesBefore } = await killedWithLog()
    lose(dataDir, older, framesBefore)
    const lost = { sinceMs, notedMs: 1_180_000, foundMs: 9_000_000 }
    expect(await lostIn(dataDir)).toEqual(lost)
  })

  test('that lost the very table of the mark does not know since when', async () => {
    const folder = newDataDir()
    await openDatabase({ dataDir: folder }).close()
    const { commit, keep, killed } = await inUse(folder)
    await commit()
    await keep()
    const dataDir = killed()
    rmSync(wal(dataDir))
    expect(await lostIn(dataDir)).toEqual({ sinceMs: null, notedMs: 1_060_000, foundMs: 9_000_000 })
  })
})

describe('what was lost', () => {
  async function lossy() {
    const used = await inUse()
    await used.commit()
    await used.keep()
    checkpoint(used.dataDir)
    await used.commit()
    await used.keep()
    const dataDir = used.killed()
    rmSync(wal(dataDir))
    return dataDir
  }
  const lost = { sinceMs: 1_060_000, notedMs: 1_120_000, foundMs: startMs }

  test('is said at each start until it is acknowledged, whatever is committed and noted meanwhile', async () => {
    const dataDir = await lossy()
    for (const _ of ['once', 'again']) {
      const { mark, commit, keep, close } = await inUse(dataDir)
      expect(mark.lost()).toEqual(lost)
      await keep()
      await commit()
      await keep()
      await close()
      await mark.end()
    }
    const { mark, close } = await inUse(dataDir)
    await mark.acknowledge()
    expect(mark.lost()).toBeNull()
    await close()
    await mark.end()
    expect(await lostIn(dataDir)).toBeNull()
  })

  test('is said since the first time where more is lost before it is acknowledged', async () => {
    const { mark, dataDir, commit, keep, killed } = await inUse(await lossy())
    expect(mark.lost()).toEqual(lost)
    await keep()
    checkpoint(dataDir)
    await commit()
    await keep()
    const again = killed()
    rmSync(wal(again))
    expect(await lostIn(again)).toEqual({ sinceMs: 1_060_000, notedMs: startMs + 120_000, foundMs: 9_000_000 })
  })

  test('is said where the disk takes nothing at the start that finds it', async () => {
    const dataDir = await lossy()
    for (const _ of ['once', 'again']) expect(await lostIn(dataDir)).toMatchObject({ sinceMs: 1_060_000 })
  })
})

test('samples that were on the disk and are lost show in the same way', async () => {
  const dataDir = newDataDir()
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  const clock = { now: () => startMs }
  const open = (folder: string) => {
    const file = openSamples(folder)
    const prepare = file.prepare.bind(file)
    const exclusively = async (work: () => void) => work()
    return {
      file,
      mark: openCommitMark({
        path: file.name,
        prepare,
        exclusively,
        clock,
        stopwatch: clock,
        bootId: '',
        isCut: false,
        isInPlace: watchFiles(file).isInPlace,
      }),
    }
  }
  const { file, mark } = open(dataDir)
  closeLater(() => file.close())
  await mark.keep()
  const killed = copyOf(dataDir)
  closeLater(() => rmSync(killed, { recursive: true, force: true }))
  rmSync(join(killed, 'samples.db-wal'))
  const again = open(killed)
  expect(again.mark.lost()).toEqual({ sinceMs: null, notedMs: startMs, foundMs: startMs })
  again.file.close()
})
