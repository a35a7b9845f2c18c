import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '../../src/app/open-files.ts'
import { readConfig } from '../../src/config.ts'
import { openSamples } from '../../src/db/open-samples.ts'

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
