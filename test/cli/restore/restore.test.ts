import { afterEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from '../../../src/db/sqlite.ts'
import { closedFolder } from '../../support/closed-folder.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { command, newFolder } from '../../support/process.ts'
import { s3Keys, startS3 } from '../../support/s3-server.ts'

afterEach(closeAll)

async function run(args: string[], env: Record<string, string>) {
  const child = Bun.spawn([...command, ...args], { cwd: newFolder(), env, stdout: 'pipe', stderr: 'pipe' })
  closeLater(() => child.kill('SIGKILL'))
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const nameOf = (day: number) => `nines-202611${day}T021500Z.tar.zst`

/** A folder with a backup of each day. */
async function backupsOf(...days: number[]): Promise<string> {
  const [dataDir, folder] = [await closedFolder(), newFolder()]
  for (const day of days) {
    const file = join(folder, nameOf(day))
    expect(await run(['backup', '--verify', file], { DATA_DIR: dataDir })).toMatchObject({ err: '', code: 0 })
  }
  return folder
}

/** A folder that does not exist yet. */
const newTarget = () => join(newFolder(), 'data')

test('a dry run says what would be restored, and changes nothing', async () => {
  const folder = await backupsOf(20)
  const [DATA_DIR, TMPDIR] = [newTarget(), newFolder()]
  const file = join(folder, nameOf(20))
  const args = ['restore', '--dry-run', file]
  const { out, err, code } = await run(args, { DATA_DIR, TMPDIR, BUN_TMPDIR: newFolder() })
  expect([err, code]).toEqual(['', 0])
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^\S+\.tar\.zst, as of \d{4}-\S+Z, into \S+\/data$/),
    expect.stringMatching(
      /^ {2}files: jwt\.secret 65 bytes, seal\.secret .*, nines\.db .* [kM]B, samples\.db .* [kM]B$/,
    ),
    expect.stringMatching(/^ {2}schema: version \d+, as this nines has it$/),
    '  organizations: 1, accounts: 1, SLOs: 0',
    expect.stringMatching(/^ {2}space: .* while it runs, .* are free$/),
    'nothing was changed',
    '',
  ])
  expect([existsSync(DATA_DIR), readdirSync(TMPDIR)]).toEqual([false, []])
  const { out: json } = await run([...args, '--json'], { DATA_DIR })
  expect(JSON.parse(json)).toMatchObject({ file, data_dir: DATA_DIR, point: null, organizations: 1, problems: [] })
}, 60_000)

test('a dry run names all that would refuse the restore or the start after it', async () => {
  const dataDir = await closedFolder()
  const db = new Database(join(dataDir, 'nines.db'))
  db.pragma('user_version = 99')
  db.close()
  const file = join(newFolder(), 'nines.tar')
  await run(['backup', file], { DATA_DIR: dataDir })
  const before = readdirSync(dataDir)
  const { out, err, code } = await run(['restore', file, '--dry-run'], { DATA_DIR: dataDir })
  expect(code).toBe(1)
  expect(out).toContain('  schema: version 99\n')
  expect(err.trim().split('\n')).toEqual([
    expect.stringMatching(/^nines: it would be refused: the data folder \S+ must be empty, and there is /),
    expect.stringMatching(/^nines: it would be refused: schema of the backup: version 99, and this nines knows /),
  ])
  expect(readdirSync(dataDir)).toEqual(before)
  truncateSync(file, 10_000)
  const cut = await run(['restore', '--dry-run', file], { DATA_DIR: newTarget() })
  expect([cut.code, cut.out, cut.err]).toEqual([
    1,
    '',
    expect.stringContaining('damaged: it is cut off; nothing has been'),
  ])
}, 60_000)

test('a point in time chooses the newest backup at or before it, and says what is lost', async () => {
  const BACKUP_DIR = await backupsOf(20, 21, 22)
  writeFileSync(join(BACKUP_DIR, 'nines.tar'), 'a file of somebody')
  const choose = (point: string) => run(['restore', '--point', point], { DATA_DIR: newTarget(), BACKUP_DIR })
  const { out, err, code } = await choose('2026-11-21T03:15:00Z')
  expect([err, code]).toEqual([
    `nines: ${nameOf(21)} in ${BACKUP_DIR}, 60 minutes before 2026-11-21T03:15:00.000Z; what was written after 2026-11-21T02:15:00.000Z is not in it\n`,
    0,
  ])
  expect(out).toContain(`of ${join(BACKUP_DIR, nameOf(21))} are in `)
  expect((await choose('2026-11-22T02:15:00Z')).err).toContain(`${nameOf(22)} in ${BACKUP_DIR}, of that time; `)
  const early = await choose('2026-11-20')
  expect([early.code, early.err]).toEqual([
    1,
    `nines: there is no backup of 2026-11-20T00:00:00.000Z or before; the oldest is ${nameOf(20)} in ${BACKUP_DIR}\n`,
  ])
}, 60_000)

test('a backup that was damaged since is passed over for the one before, and named', async () => {
  const BACKUP_DIR = await backupsOf(20, 21)
  truncateSync(join(BACKUP_DIR, nameOf(21)), 5000)
  const DATA_DIR = newTarget()
  const point = ['restore', '--point', '2026-11-25']
  const dry = await run([...point, '--dry-run', '--json'], { DATA_DIR, BACKUP_DIR })
  expect(JSON.parse(dry.out)).toMatchObject({ file: join(BACKUP_DIR, nameOf(20)), point: '2026-11-25T00:00:00.000Z' })
  const { err, code } = await run(point, { DATA_DIR, BACKUP_DIR })
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/21T021500Z\S+ is not a backup .*; trying the one before\nnines: /),
  ])
  expect(existsSync(join(DATA_DIR, 'nines.db'))).toBe(true)
  truncateSync(join(BACKUP_DIR, nameOf(20)), 5000)
  const none = await run(point, { DATA_DIR: newTarget(), BACKUP_DIR })
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('nothing has been restored\n')])
}, 60_000)

test('a point in time finds backups in the bucket too, and the folder alone where that does not answer', async () => {
  const BACKUP_DIR = await backupsOf(20)
  const store = startS3()
  const bucket = {
    BACKUP_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    BACKUP_S3_REGION: s3Keys.region,
    BACKUP_S3_URL: `${store.url}/nines`,
  }
  const sent = join(await backupsOf(21), nameOf(21))
  expect((await run(['bucket', 'put', sent], bucket)).code).toBe(0)
  const env = { ...bucket, BACKUP_DIR, DATA_DIR: newTarget(), TMPDIR: join(newFolder(), 'tmp') }
  mkdirSync(env.TMPDIR)
  const { err, code } = await run(['restore', '--point', '2026-11-25'], { ...env, BUN_TMPDIR: newFolder() })
  expect([code, err]).toEqual([
    0,
    expect.stringContaining(`${nameOf(21)} in the bucket of BACKUP_S3_URL, 93 hours before`),
  ])
  expect(readdirSync(env.TMPDIR)).toEqual([])
  const away = { ...env, DATA_DIR: newTarget(), BACKUP_S3_URL: 'http://127.0.0.1:9/b' }
  const folder = await run(['restore', '--point', '2026-11-25'], away)
  expect([folder.code, folder.err]).toEqual([
    0,
    expect.stringMatching(
      /^nines: only BACKUP_DIR was searched: the server of BACKUP_S3_URL .*\nnines: nines-20261120T/,
    ),
  ])
}, 60_000)

test.each([
  [['restore'], 2, 'restore takes one FILE, got none'],
  [
    ['restore', '--point', 'yesterday'],
    2,
    '--point must be a date (UTC) or a time such as 2026-11-01T12:00:00Z, got "yesterday"',
  ],
  [['restore', '--point', '2026-11-20', 'a.tar'], 2, 'restore takes one FILE or --point TIME, not both'],
  [['restore', '--json', 'a.tar'], 2, 'restore takes --json with --dry-run only'],
  [['restore', '--force'], 2, 'restore takes one FILE or --point TIME, and --dry-run; got "--force"'],
  [['restore', '/none.tar'], 1, 'there is no file /none.tar'],
  [
    ['restore', '--point', '2026-11-20'],
    1,
    'there is no place of backups; set BACKUP_DIR or BACKUP_S3_URL, or name a FILE',
  ],
])('%j is refused', async (args, code, problem) => {
  const result = await run(args, { DATA_DIR: newTarget() })
  expect([result.code, result.err]).toEqual([code, expect.stringContaining(`nines: ${problem}`)])
})
