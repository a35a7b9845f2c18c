import { afterEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '../../src/app/open-files.ts'
import { insertOrganization } from '../../src/auth/accounts/store.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'
import { openSamples } from '../../src/db/open-samples.ts'
import { renewSamples, setAside } from '../../src/db/data-folder/lost-database.ts'
import { Database as Sqlite } from '../../src/db/sqlite.ts'
import { createLog } from '../../src/log.ts'
import { newDataDir, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'

afterEach(closeAll)

const clock = { now: () => 1_795_255_200_000 }

async function withOrganization(dataDir: string): Promise<void> {
  const db = openDatabase({ dataDir })
  await insertOrganization(db.write, 'Acme', 0)
  await db.close()
  openSamples(dataDir).close()
}

/** Runs SQL on the `samples.db` of a used data folder. */
const inside = (sql: string) => (dataDir: string) => {
  const file = openSamples(dataDir)
  file.exec(sql)
  file.close()
}

test.each([
  ['of garbage', (dataDir: string) => writeFileSync(join(dataDir, 'samples.db'), 'not a database '.repeat(5000))],
  [
    'that is a folder',
    (dataDir: string) => {
      rmSync(join(dataDir, 'samples.db'))
      mkdirSync(join(dataDir, 'samples.db'))
    },
  ],
  ['without a table', inside('drop table chunks')],
  ['with a row of the log cut off', inside("insert into log values (1, x'0102030405')")],
  ['with labels that are none', inside("insert into series values (1, 1, '{')")],
])(
  'samples %s are refused by their name, and once they are moved away it begins without them when it is told to',
  async (_, damage) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'nines-files-'))
    const open = () => openFiles({ config: readConfig({ DATA_DIR: dataDir }), dataDir, clock })
    try {
      await withOrganization(dataDir)
      damage(dataDir)
      expect(open).toThrow(`${join(dataDir, 'samples.db')}: `)
      for (const suffix of ['', '-wal', '-shm']) {
        rmSync(join(dataDir, `samples.db${suffix}`), { recursive: true, force: true })
      }
      expect(open).toThrow(`${join(dataDir, 'samples.db')}: missing or empty, and nines.db beside it belongs to one`)
      renewSamples(dataDir, 0)
      const { samples, db } = open()
      expect(samples.usedBytes()).toBeGreaterThan(0)
      samples.close()
      void db.close()
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  },
)

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
  await withOrganization(dataDir)
  let files = open()
  const reopen = async () => {
    files.samples.close()
    await files.db.close()
    files = open()
  }
  const kept = async () => {
    await files.samples.pruneOld()
    return files.samples.usedBy(1).series
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

describe('a data folder', () => {
  const open = async (dataDir: string, env = {}) => {
    const files = openFiles({ config: readConfig({ DATA_DIR: dataDir, ...env }), dataDir, clock })
    files.samples.close()
    await files.db.close()
    return files
  }

  /** A data folder with an organization, a user and sealed data. */
  async function used(): Promise<string> {
    const { app, join: register, call, dataDir } = await testApp({ env: { SOURCE_URL: 'embedded' } })
    closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
    await register('ada')
    const { status } = await call('POST', '/api/v1/tsdb/sources', {
      name: 'Prometheus',
      api_url: 'http://127.0.0.1:9',
      auth: { bearer: { token: 'secret' } },
    })
    expect(status).toBe(201)
    app.samples.append(1, [['__name__', 'm']], app.clock.now(), 1)
    await app.close()
    return dataDir
  }

  const lose: [string, (path: string) => void, string][] = [
    ['missing', (path) => rmSync(path), 'missing'],
    ['cut to nothing', (path) => truncateSync(path), 'empty'],
    ['without a table', (path) => (rmSync(path), new Sqlite(path).exec('vacuum').close()), 'empty'],
  ]
  test.each(lose)('whose nines.db is %s is refused, and left as it is', async (_, damage, state) => {
    const dataDir = await used()
    damage(join(dataDir, 'nines.db'))
    const before = readdirSync(dataDir)
    const refused = `${join(dataDir, 'nines.db')} is ${state}, and `
    for (const _ of ['once', 'again']) await expect(open(dataDir)).rejects.toThrow(refused)
    await expect(open(dataDir)).rejects.toThrow('nines serve --new')
    expect(readdirSync(dataDir)).toEqual(before)
  })

  test('of a start that was killed before its database was complete is taken for a new one', async () => {
    const dataDir = newDataDir()
    closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
    for (const name of ['nines.lock', 'nines.db', 'nines.db-wal']) writeFileSync(join(dataDir, name), '')
    await open(dataDir)
  })

  test('that lost samples and secrets with its database, but for one, is refused too', async () => {
    const dataDir = await used()
    for (const name of ['nines.db', 'samples.db', 'jwt.secret']) rmSync(join(dataDir, name))
    await expect(open(dataDir)).rejects.toThrow('is missing, and seal.secret beside it belongs to one')
  })

  test.each([[[]], [['samples.db', 'jwt.secret']]])('that a killed restore left with %j is refused', async (names) => {
    const dataDir = newDataDir()
    closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
    for (const name of names) writeFileSync(join(dataDir, name), '')
    mkdirSync(join(dataDir, 'restore.unfinished'))
    await expect(open(dataDir)).rejects.toThrow('has not come to its end: run nines restore FILE again')
    expect(readdirSync(dataDir)).not.toContain('nines.db')
  })

  test.each([
    ['jwt.secret', 'make a new one with nines rotate-secret jwt'],
    ['seal.secret', 'restore it from a backup'],
  ])('without %s is refused, and none is made', async (name, advice) => {
    const dataDir = await used()
    rmSync(join(dataDir, name))
    await expect(open(dataDir)).rejects.toThrow(`${join(dataDir, name)} is missing, with which `)
    await expect(open(dataDir)).rejects.toThrow(advice)
    expect(readdirSync(dataDir)).not.toContain(name)
  })

  test('without jwt.secret is opened where JWT_SECRET takes its place', async () => {
    const dataDir = await used()
    rmSync(join(dataDir, 'jwt.secret'))
    expect((await open(dataDir, { JWT_SECRET: 'x'.repeat(32) })).jwtSecret).toBe('x'.repeat(32))
  })

  test('that begins again has nothing of the one before, which is kept aside', async () => {
    const dataDir = await used()
    expect(() => setAside(dataDir, 0)).toThrow('is in use: --new is for a data folder that has lost it')
    const { instanceId } = await open(dataDir)
    rmSync(join(dataDir, 'nines.db'))
    expect(setAside(dataDir, 0)).toBe(join(dataDir, 'set-aside-1970-01-01T00-00-00-000Z'))
    expect(readdirSync(join(dataDir, 'set-aside-1970-01-01T00-00-00-000Z')).toSorted()).toEqual([
      'jwt.secret',
      'samples.db',
      'seal.secret',
    ])
    expect((await open(dataDir)).instanceId).not.toBe(instanceId)
  })

  test('with the samples of another database is refused, also where both had the same secret', async () => {
    const [one, other] = [await used(), newDataDir()]
    closeLater(() => rmSync(other, { recursive: true, force: true }))
    await openDatabase({ dataDir: other }).close()
    for (const name of ['samples.db', 'seal.secret']) cpSync(join(one, name), join(other, name))
    await expect(open(other)).rejects.toThrow(`${join(other, 'samples.db')}: it belongs to another nines.db (instance `)
  })

  test('with an older database than samples forgets series of organizations that it does not know', async () => {
    const dataDir = await used()
    const series = () => inspect(dataDir, 'select organization_id from series')
    inspect(dataDir, 'insert into series (organization_id, labels) values (2, \'{"__name__":"m"}\')')
    inspect(dataDir, "insert into chunks select id, 0, 9, x'00' from series where organization_id = 2")
    expect(series()).toEqual([1, 2])
    const logged: string[] = []
    const log = createLog({ level: 'info', format: 'json', now: () => 0, write: (line) => void logged.push(line) })
    const files = openFiles({ config: readConfig({ DATA_DIR: dataDir }), dataDir, clock, log })
    files.samples.close()
    await files.db.close()
    expect(series()).toEqual([1])
    expect(inspect(dataDir, 'select organization_id from chunk_bytes')).not.toContain(2)
    expect(logged.join()).toContain('"removed":1')
  })

  test('of before samples were tied to a database is opened with those it has', async () => {
    const dataDir = await used()
    inspect(dataDir, 'drop table owner')
    await open(dataDir)
    expect(inspect(dataDir, 'select count(*) from series')).toEqual([1])
    expect(inspect(dataDir, 'select count(*) from owner')).toEqual([1])
  })
})

function inspect(dataDir: string, sql: string): unknown[] {
  const file = openSamples(dataDir)
  try {
    const statement = file.prepare(sql)
    return statement.reader ? statement.pluck().all() : [statement.run().changes]
  } finally {
    file.close()
  }
}
