import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '../../src/app/open-files.ts'
import { readConfig } from '../../src/config.ts'
import { openSamples } from '../../src/db/open-samples.ts'
import { createLog } from '../../src/log.ts'

const clock = { now: () => 1_795_255_200_000 }

/** Does something to the `samples.db` of a data folder that has been used. */
const inside = (sql: string) => (dataDir: string) => {
  const file = openSamples(dataDir)
  file.exec(sql)
  file.close()
}

test.each([
  ['of garbage', (dataDir: string) => writeFileSync(join(dataDir, 'samples.db'), 'not a database '.repeat(5000))],
  ['that is a folder', (dataDir: string) => mkdirSync(join(dataDir, 'samples.db'))],
  ['without a table', inside('drop table chunks')],
  ['with a row of the log cut off', inside("insert into log values (1, x'0102030405')")],
  ['with labels that are none', inside("insert into series values (1, 1, '{')")],
])('samples %s are refused by their name, and are well again once they are moved away', (_, damage) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-files-'))
  const open = () => openFiles({ config: readConfig({ DATA_DIR: dataDir }), dataDir, clock })
  try {
    damage(dataDir)
    expect(open).toThrow(`${join(dataDir, 'samples.db')}: `)
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(join(dataDir, `samples.db${suffix}`), { recursive: true, force: true })
    }
    const { samples, db } = open()
    expect(samples.usedBytes()).toBeGreaterThan(0)
    samples.close()
    void db.close()
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})

test('a clock that is a year ahead makes no samples old, until it has been so for a day', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-files-'))
  const at = { clockMs: clock.now(), stopwatchMs: 0 }
  const days = (count: number) => count * 86_400_000
  const logged: string[] = []
  const log = createLog({ level: 'info', format: 'json', now: () => 0, write: (line) => void logged.push(line) })
  const open = () =>
    openFiles({
      config: readConfig({ DATA_DIR: dataDir }),
      dataDir,
      clock: { now: () => at.clockMs },
      stopwatch: { now: () => at.stopwatchMs },
      log,
    })
  let files = open()
  const reopen = async () => {
    files.samples.close()
    await files.db.close()
    files = open()
  }
  const kept = async () => {
    await files.samples.forgetOld()
    return files.samples.series(1, []).length
  }
  try {
    for (let ago = 300; ago > 0; ago -= 1) files.samples.append(1, [['__name__', 'm']], at.clockMs - 1000 * ago, ago)
    at.clockMs += days(365)
    expect(await kept()).toBe(1)
    await reopen()
    expect(await kept()).toBe(1)
    expect(logged.map((line) => JSON.parse(line).days)).toEqual([365, 365])
    at.clockMs += days(1)
    at.stopwatchMs += days(1)
    expect(await kept()).toBe(0)
  } finally {
    files.samples.close()
    await files.db.close()
    rmSync(dataDir, { recursive: true })
  }
})
