import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupName, timeOfBackup } from '../../src/db/backup/kept-backups.ts'
import { closedFolder } from '../support/closed-folder.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, launch, newFolder, type Nines, register, startNines } from '../support/process.ts'
import { writeBody, writeHeaders } from '../support/remote-write.ts'
import { seeded } from '../support/seeded.ts'

afterEach(closeAll)

/** Number of times that nines is killed while it writes backups; 100 take about five minutes. */
const rounds = Number(process.env['NINES_KILLS'] ?? 5)
const seed = Number(process.env['NINES_SEED'] ?? 17)
const sloWriters = 8
const env = { SOURCE_URL: 'embedded', QUOTA_SLOS: '100000', EVALUATION_INTERVAL: '600' }
const slo = { target: 99.9, time_window: '1h', metric_type: 'availability', metric_query: 'avg_over_time(up[5m])' }

/** A write that was answered with success, in the order of the answers. */
type Written = { atMs: number; key: string; count: number }
/** `requests`: for backups that may have been written. */
type Journal = { written: Written[]; requests: { sentMs: number; endedMs: number }[]; refused: string[] }

/** Counts up the name of one SLO, and now and then adds another SLO, until the server is gone. */
async function writeSlos(nines: Nines, token: string, writer: number, journal: Journal): Promise<void> {
  for (;;) {
    const count = (journal.written.findLast(({ key }) => key === `slo ${writer}`)?.count ?? 0) + 1
    const answer = await nines
      .call(
        'PUT',
        `/api/v1/slos/${writer}`,
        { name: String(count).padStart(8, '0'), description: 'x'.repeat(900) },
        token,
      )
      .catch(() => undefined)
    if (!answer) return
    if (answer.status === 200) journal.written.push({ atMs: Date.now(), key: `slo ${writer}`, count })
    else journal.refused.push(answer.text)
  }
}

/** Sends samples whose value counts up, until the server is gone. */
async function writeSamples(nines: Nines, token: string, journal: Journal): Promise<void> {
  const headers = { ...writeHeaders[1], authorization: `Bearer ${token}` }
  for (;;) {
    const count = (journal.written.findLast(({ key }) => key === 'samples')?.count ?? 0) + 1
    const series = [{ labels: { __name__: 'written' }, samples: [[Date.now(), count] as [number, number]] }]
    const request = { method: 'POST', headers, body: writeBody(1, series) }
    const answer = await fetch(`${nines.url}/api/v1/write`, request).catch(() => undefined)
    if (!answer) return
    if (answer.status === 204) journal.written.push({ atMs: Date.now(), key: 'samples', count })
    else journal.refused.push(await answer.text())
  }
}

/** Asks for one backup after the other until the server is gone. */
async function backUp(nines: Nines, token: string, { requests }: Journal): Promise<void> {
  for (;;) {
    const sentMs = Date.now()
    const answer = await nines.call('POST', '/api/v1/backups', undefined, token).catch(() => undefined)
    if (answer?.status !== 409) requests.push({ sentMs, endedMs: Date.now() }) // 409: one is being written
    if (!answer) return
    await Bun.sleep(20)
  }
}

/** Milliseconds until a folder holds a whole backup: how long one takes on this machine while others write. */
async function durationOfFirstBackup(folder: string): Promise<number> {
  const beganMs = performance.now()
  while (!readdirSync(folder).some((name) => timeOfBackup(name) !== null)) await Bun.sleep(10)
  return performance.now() - beganMs
}

/** Time before which nothing may be missing in a backup of that name, which says the second in which it began. */
function beginOf(name: string, { requests }: Journal): number {
  const secondMs = timeOfBackup(name) ?? 0
  const request = requests.find(({ sentMs, endedMs }) => sentMs < secondMs + 1000 && endedMs >= secondMs)
  return request?.sentMs ?? secondMs
}

async function run(args: string[], dataDir: string) {
  const child = Bun.spawn([...command, ...args], { cwd: newFolder(), env: { DATA_DIR: dataDir }, stderr: 'pipe' })
  closeLater(() => child.kill('SIGKILL'))
  return { err: await child.stderr.text(), code: await child.exited }
}

/** Highest count of each key that was acknowledged before a time. */
function acknowledgedBefore({ written }: Journal, beforeMs: number): Map<string, number> {
  return new Map(written.filter(({ atMs }) => atMs < beforeMs).map(({ key, count }) => [key, count]))
}

/** Counts of the SLOs in a data folder, by the keys of the journal. */
function countsIn(dataDir: string): Map<string, number> {
  using db = new Database(join(dataDir, 'nines.db'))
  expect(db.query('pragma integrity_check').values()).toEqual([['ok']])
  const rows = db.query<{ id: number; name: string }, []>('select id, name from slos order by id').all()
  return new Map(rows.map(({ id, name }) => [`slo ${id}`, Number(name)]))
}

async function lastSample(nines: Nines, token: string): Promise<number> {
  const query = encodeURIComponent('last_over_time(written[1d])')
  const { body } = await nines.call('GET', `/embedded/prometheus/api/v1/query?query=${query}`, undefined, token)
  return Number(body.data.result[0]?.value[1] ?? 0)
}

/** Process ids in the names of what killed backups left. */
function writersOfLeftOvers(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => /\.part-(\d+)$/.exec(name)?.[1] ?? [])
}

/** Writes one more backup, after which nothing is left of those that were killed. */
async function expectCleared(folder: string, dataDir: string): Promise<void> {
  // A killed process has its id until its new parent has asked for its exit code, and a backup may run on without the server.
  while (writersOfLeftOvers(folder).some((pid) => existsSync(`/proc/${pid}`))) await Bun.sleep(10)
  const file = join(folder, backupName(Date.now()))
  expect(await run(['backup', '--verify', file], dataDir)).toEqual({ err: '', code: 0 })
  expect(readdirSync(folder).filter((name) => timeOfBackup(name) === null)).toEqual([])
}

/** Kills the server with what it has started, the server alone, or the backup alone. */
const kills: ((nines: Nines) => void)[] = [
  ({ pid }) => process.kill(-pid, 'SIGKILL'),
  ({ kill }) => kill('SIGKILL'),
  ({ pid, kill }) => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    for (const child of children) process.kill(Number(child), 'SIGKILL')
    kill('SIGKILL')
  },
]

test(
  `backups that a kill leaves hold every write acknowledged before they began (${rounds} kills)`,
  async () => {
    const random = seeded(seed)
    const dataDir = newFolder()
    const folder = newFolder()
    const journal: Journal = { written: [], requests: [], refused: [] }
    let token = ''
    let verified = 0
    let firstBackupMs = 0
    const options = { dataDir, env: { ...env, BACKUP_DIR: folder }, through: ['setsid'] }
    for (let round = 0; round < rounds; round += 1) {
      const nines = await startNines(options)
      if (round === 0) {
        token = await register(nines, 'ada')
        for (let at = 0; at < sloWriters; at += 1) {
          await nines.call('POST', '/api/v1/slos', { ...slo, name: '00000000' }, token)
        }
      }
      const writers = Array.from({ length: sloWriters }, (_, at) => writeSlos(nines, token, at + 1, journal))
      const clients = [...writers, writeSamples(nines, token, journal), backUp(nines, token, journal)]
      if (round === 0) firstBackupMs = await durationOfFirstBackup(folder)
      else await Bun.sleep(random() * 4 * firstBackupMs)
      kills[round % kills.length]?.(nines)
      await Promise.all([...clients, nines.exited])

      const names = readdirSync(folder).filter((name) => timeOfBackup(name) !== null)
      for (const [at, name] of names.toSorted().entries()) {
        const target = join(newFolder(), 'data')
        expect(await run(['restore', join(folder, name)], target)).toEqual({ err: '', code: 0 })
        const expected = acknowledgedBefore(journal, beginOf(name, journal))
        const counts = countsIn(target)
        if (at === names.length - 1) {
          const restored = await startNines({ dataDir: target, env })
          counts.set('samples', await lastSample(restored, token))
          restored.kill('SIGKILL')
        } else expected.delete('samples')
        for (const [key, count] of expected) {
          const found = counts.get(key) ?? 0
          expect({ round, name, key, count, found, isThere: found >= count }).toMatchObject({ isThere: true })
        }
        verified += 1
      }
    }
    await expectCleared(folder, dataDir)
    process.stderr.write(`${rounds} kills, ${journal.written.length} writes, ${verified} backups restored\n`)
    expect(journal.refused).toEqual([])
    expect(verified).toBeGreaterThan(0)
  },
  rounds * 30_000 + 60_000,
)

test(
  `a restore that is killed leaves a data folder that is refused, or the whole backup (${rounds} kills)`,
  async () => {
    const random = seeded(seed)
    const dataDir = await closedFolder()
    using db = new Database(join(dataDir, 'nines.db'))
    db.exec('create table ballast (bytes)')
    for (let n = 0; n < 20; n += 1) db.exec('insert into ballast values (randomblob(1000000))')
    db.exec('drop table ballast') // its pages remain in the file
    const file = join(newFolder(), 'nines.tar.zst')
    expect(await run(['backup', '--verify', file], dataDir)).toEqual({ err: '', code: 0 })
    const beganMs = performance.now()
    expect(await run(['restore', file], join(newFolder(), 'data'))).toEqual({ err: '', code: 0 })
    const longestMs = (performance.now() - beganMs) * 1.2
    const ends = { refused: 0, empty: 0, whole: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const target = join(newFolder(), 'data')
      const restoring = launch({ dataDir: target, env, args: ['restore', file] })
      await Bun.sleep(random() * longestMs)
      restoring.kill('SIGKILL')
      await restoring.exited
      if (existsSync(join(target, 'nines.db'))) {
        ends.whole += 1
      } else {
        const names = existsSync(target) ? readdirSync(target).filter((name) => name !== 'nines.lock') : []
        if (names.length === 0) ends.empty += 1
        else {
          const refused = launch({ dataDir: target, env })
          expect([await refused.exited, refused.log()]).toEqual([
            1,
            expect.stringContaining('run nines restore FILE again'),
          ])
          ends.refused += 1
        }
        expect(await run(['restore', file], target)).toEqual({ err: '', code: 0 })
      }
      expect(await run(['verify'], target)).toEqual({ err: '', code: 0 })
    }
    process.stderr.write(`restores killed: ${JSON.stringify(ends)}\n`)
  },
  rounds * 30_000 + 60_000,
)
