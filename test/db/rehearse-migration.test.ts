import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rehearseMigration } from '../../src/db/rehearse-migration.ts'
import { Database } from '../../src/db/sqlite.ts'
import { textOf } from '../../src/cli/migrate.ts'
import { closeAll } from '../support/closing.ts'
import { closedFolder } from '../support/closed-folder.ts'
import { command, newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

const steps = [
  { version: 2, sql: 'CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT' },
  { version: 3, sql: 'ALTER TABLE second ADD COLUMN text TEXT' },
]

/** Rehearses these steps; each look at the stopwatch is a second later. */
function rehearse(dataDir: string, own = steps) {
  let nowMs = 0
  const temporaryFolder = newFolder()
  const progress: string[] = []
  const onProgress = (text: string) => void progress.push(text)
  const run = () =>
    rehearseMigration({
      dataDir,
      temporaryFolder,
      steps: own,
      stopwatch: { now: () => (nowMs += 1000) },
      onProgress,
    })
  return { run, temporaryFolder, progress }
}

const filesIn = (dataDir: string) =>
  Object.fromEntries(readdirSync(dataDir).map((name) => [name, Bun.hash(readFileSync(join(dataDir, name))).toString()]))

describe('a migration that is tried', () => {
  test('says its versions, times and space, and changes nothing', async () => {
    const dataDir = await closedFolder()
    const before = filesIn(dataDir)
    const { run, temporaryFolder, progress } = rehearse(dataDir)
    const rehearsal = run()
    expect(rehearsal).toMatchObject({ from: 1, to: 3 })
    expect(rehearsal.steps).toEqual([
      { to: 2, seconds: 1 },
      { to: 3, seconds: 1 },
    ])
    expect(rehearsal.bytesNeeded).toBeGreaterThan(2 * rehearsal.bytes) // a snapshot before each step
    expect(rehearsal.bytesFree).toBeGreaterThan(0)
    expect(progress).toEqual(['copying nines.db', 'step 1 of 2', 'step 2 of 2'])
    const after = filesIn(dataDir)
    expect(Object.entries(after).filter(([name]) => !/-(?:wal|shm)$/.test(name))).toEqual(
      Object.entries(before).filter(([name]) => !/-(?:wal|shm)$/.test(name)),
    )
    expect(readdirSync(temporaryFolder)).toEqual([])
    expect(textOf('/data', rehearsal)).toMatch(
      /: from schema version 1 to 3\n {2}to 2: 1\.0 s\n {2}to 3: 1\.0 s\na start takes about 2\.0 s/,
    )
  })

  test('without a step only copies the database', async () => {
    const { run, progress } = rehearse(await closedFolder(), [])
    expect(run()).toMatchObject({ from: 1, to: 1, steps: [], bytesNeeded: 0 })
    expect(progress).toEqual(['copying nines.db'])
  })

  test('fails as the start would where a step fails, and leaves nothing behind', async () => {
    const dataDir = await closedFolder()
    const { run, temporaryFolder } = rehearse(dataDir, [{ version: 2, sql: 'DROP TABLE none' }])
    expect(run).toThrow('the step from schema version 1 to 2 failed, nothing of it remains: no such table: none')
    expect(readdirSync(temporaryFolder)).toEqual([])
  })

  test('refuses a database that is newer, with what to do', async () => {
    const dataDir = await closedFolder()
    const db = new Database(join(dataDir, 'nines.db'))
    db.pragma('user_version = 99')
    db.close()
    expect(rehearse(dataDir).run).toThrow('schema version 99, and this nines knows 3: start the nines that wrote it')
  })
})

async function nines(args: string[], env: Record<string, string>) {
  const child = Bun.spawn([...command, ...args], { cwd: newFolder(), env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

describe('nines migrate', () => {
  test('--dry-run beside a server says that there is nothing to migrate', async () => {
    const dataDir = newFolder()
    await startNines({ dataDir })
    const text = await nines(['migrate', '--dry-run'], { DATA_DIR: dataDir })
    expect(text).toEqual({ out: expect.stringContaining('schema version 1, as this nines has it'), err: '', code: 0 })
    const json = await nines(['migrate', '--dry-run', '--json'], { DATA_DIR: dataDir })
    expect(JSON.parse(json.out)).toMatchObject({ from: 1, to: 1, steps: [], bytesNeeded: 0 })
  })

  test('without --dry-run is a wrong call, since a start migrates', async () => {
    const { err, code } = await nines(['migrate'], { DATA_DIR: newFolder() })
    expect([code, err]).toEqual([2, expect.stringContaining('the migration itself is made by a start')])
  })

  test('in a folder without a database says so', async () => {
    const { err, code } = await nines(['migrate', '--dry-run'], { DATA_DIR: newFolder() })
    expect([code, err]).toEqual([1, expect.stringContaining('there is no nines.db')])
  })
})
