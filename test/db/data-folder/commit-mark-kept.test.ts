import { afterEach, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openCommitMark } from '../../../src/db/data-folder/commit-mark.ts'
import { Database } from '../../../src/db/sqlite.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { checkpoint, inUse, lostIn, startMs } from './marked-folder.ts'

afterEach(closeAll)

describe('the number', () => {
  const noted = (dataDir: string) => Number(readFileSync(join(dataDir, 'nines.db-mark'), 'utf8').split(' ')[1])

  test('is committed at once, then once a minute where anything was committed', async () => {
    const { dataDir, commit, keep } = await inUse()
    await keep(0)
    expect(noted(dataDir)).toBe(1)
    await keep()
    expect(noted(dataDir)).toBe(1)
    await commit()
    await keep(59_999 - 60_000)
    expect(noted(dataDir)).toBe(1)
    await keep(1)
    expect(noted(dataDir)).toBe(2)
  })

  test('is committed within a second of a checkpoint, once anything was committed after it', async () => {
    const { dataDir, commit, keep } = await inUse()
    await keep(0)
    await commit()
    checkpoint(dataDir)
    await keep(1000)
    expect(noted(dataDir)).toBe(2)
    await keep(1000)
    expect(noted(dataDir)).toBe(2)
  })

  test('is committed again after a commit of another process', async () => {
    const { dataDir, keep } = await inUse()
    await keep(0)
    const other = new Database(join(dataDir, 'nines.db'))
    other.exec("insert into organizations (name, created_at) values ('Other', 1)")
    await keep()
    expect(noted(dataDir)).toBe(2)
    other.close()
  })

  test('is committed before it is noted, so that a kill in between is no loss', async () => {
    const { dataDir, commit, killed, close } = await inUse()
    const connection = new Database(join(dataDir, 'nines.db'))
    const states: string[] = []
    let passedMs = 0
    const mark = openCommitMark({
      path: connection.name,
      prepare: connection.prepare.bind(connection),
      async exclusively(work) {
        states.push(killed())
        work()
        states.push(killed())
      },
      clock: { now: () => startMs },
      stopwatch: { now: () => (passedMs += 60_000) },
      bootId: '',
      isCut: false,
      isInPlace: () => true,
    })
    for (let round = 0; round < 3; round += 1) {
      await commit()
      await mark.keep()
    }
    expect(states).toHaveLength(6)
    for (const state of states) expect(await lostIn(state)).toBeNull()
    connection.close()
    await close()
  })

  test('that cannot be noted is committed again ten seconds later, and nothing is lost', async () => {
    const { dataDir, commit, keep, killed } = await inUse()
    await keep()
    mkdirSync(join(dataDir, 'nines.db-mark.draft'))
    await commit()
    await keep()
    expect(noted(dataDir)).toBe(1)
    expect(await lostIn(killed())).toBeNull()
    rmSync(join(dataDir, 'nines.db-mark.draft'), { recursive: true })
    await keep(9999)
    expect(noted(dataDir)).toBe(1)
    await keep(1)
    expect(noted(dataDir)).toBe(3)
  })

  test('is not noted in a folder that has taken the place of the one that is open', async () => {
    const { dataDir, commit, keep } = await inUse()
    await keep()
    const moved = `${dataDir}-moved`
    closeLater(() => rmSync(moved, { recursive: true, force: true }))
    renameSync(dataDir, moved)
    cpSync(moved, dataDir, { recursive: true })
    rmSync(join(dataDir, 'nines.db-mark'))
    await expect(commit()).rejects.toThrow('moved, removed or replaced')
    await keep()
    expect(existsSync(join(dataDir, 'nines.db-mark'))).toBe(false)
  })
})

test('an orderly end leaves no note, and one beside another process leaves it', async () => {
  const { dataDir, commit, keep, mark, close } = await inUse()
  await commit()
  await keep()
  expect(readdirSync(dataDir)).toContain('nines.db-mark')
  const other = checkpoint(dataDir)
  await close()
  await mark.end()
  expect(readdirSync(dataDir)).toContain('nines.db-mark')
  other.close()
  const again = await inUse(dataDir)
  await again.keep()
  await again.close()
  await again.mark.end()
  expect(readdirSync(dataDir)).toEqual(['nines.db'])
})
