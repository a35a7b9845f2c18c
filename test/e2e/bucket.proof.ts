import { afterEach, expect, test } from 'bun:test'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, newFolder, register, startNines } from '../support/process.ts'
import { s3Keys, startS3 } from '../support/s3-server.ts'
import { checkout } from '../support/slo-calls.ts'

afterEach(closeAll)

const keys = {
  BACKUP_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
  BACKUP_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
  BACKUP_S3_REGION: s3Keys.region,
}

/** Runs `nines …` in a folder and waits for its end. */
async function run(args: string[], env: Record<string, string>, cwd = newFolder()) {
  const child = Bun.spawn([...command, ...args], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  closeLater(() => child.kill('SIGKILL'))
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

test('a backup of the schedule is copied, and after the loss of the machine the bucket has all that is needed', async () => {
  const store = startS3()
  const bucket = { ...keys, BACKUP_S3_URL: `${store.url}/nines` }
  const schedule = { BACKUP_SCHEDULE: '15 2 * * *', BACKUP_DIR: join(newFolder(), 'backups') }
  const nines = await startNines({ dataDir: newFolder(), env: { ...bucket, ...schedule } })
  const token = await register(nines, 'ada')
  expect((await nines.call('POST', '/api/v1/slos', checkout, token)).status).toBe(201)
  await nines.said(/"backup copied"/)
  nines.kill('SIGKILL')
  const folder = newFolder()
  const [{ name = '' } = {}] = JSON.parse((await run(['bucket', 'list', '--json'], bucket)).out)
  expect([...store.objects.keys()]).toEqual([`nines/${name}`])
  expect(await run(['bucket', 'get', name], bucket, folder)).toMatchObject({ err: '', code: 0 })
  const file = join(folder, name)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const dataDir = join(newFolder(), 'data')
  expect(await run(['restore', file], { DATA_DIR: dataDir })).toMatchObject({ err: '', code: 0 })
  const restored = await startNines({ dataDir, env: {} })
  expect((await restored.call('GET', '/api/v1/slos', undefined, token)).body.total).toBe(1)
}, 60_000)

test('a bucket that refuses the key is a condition, and the backup stays in its folder', async () => {
  const store = startS3()
  const folder = join(newFolder(), 'backups')
  const bucket = { ...keys, BACKUP_S3_URL: store.url, BACKUP_S3_SECRET_ACCESS_KEY: 'another' }
  const schedule = { BACKUP_SCHEDULE: '15 2 * * *', BACKUP_DIR: folder }
  const nines = await startNines({ dataDir: newFolder(), env: { ...bucket, ...schedule } })
  await register(nines, 'ada')
  await nines.said(/"condition began".*"backup_not_copied"/)
  expect(nines.log()).toContain('SignatureDoesNotMatch, BACKUP_S3_SECRET_ACCESS_KEY or BACKUP_S3_REGION is wrong')
  expect(nines.log()).not.toContain('"another"')
  expect([readdirSync(folder).length, store.objects.size]).toEqual([1, 0])
})

test('get and put carry a file there and back, and replace none here', async () => {
  const { url } = startS3()
  const env = { ...keys, BACKUP_S3_URL: url }
  const folder = newFolder()
  writeFileSync(join(folder, 'mine.tar'), 'a backup')
  expect(await run(['bucket', 'put', 'mine.tar'], env, folder)).toEqual({
    out: 'mine.tar: 8 bytes\n',
    err: '',
    code: 0,
  })
  expect((await run(['bucket', 'list'], env)).out).toBe('mine.tar  8 bytes\n')
  const again = await run(['bucket', 'get', 'mine.tar'], env, folder)
  expect([again.err, again.code]).toEqual([`nines: there is a file ${join(folder, 'mine.tar')}; name another one\n`, 1])
  expect((await run(['bucket', 'get', 'mine.tar', 'back.tar'], env, folder)).code).toBe(0)
  expect(await Bun.file(join(folder, 'back.tar')).text()).toBe('a backup')
  const none = await run(['bucket', 'get', 'other.tar'], env, folder)
  expect(none.err).toBe('nines: the bucket has no other.tar; nines bucket list prints what it has\n')
  expect(readdirSync(folder).toSorted()).toEqual(['back.tar', 'mine.tar'])
})

test('doctor lists the bucket, and says what is wrong with it', async () => {
  const { url } = startS3()
  const env = { ...keys, BACKUP_S3_URL: url, DATA_DIR: newFolder(), PORT: '0' }
  expect((await run(['doctor'], env)).out).toContain('the bucket of BACKUP_S3_URL answers; it has 0 backups')
  const { out, code } = await run(['doctor'], { ...env, BACKUP_S3_URL: 'http://127.0.0.1:9/b' })
  expect([out.includes('the server of BACKUP_S3_URL cannot be reached (connection refused)'), code]).toEqual([true, 1])
})

test.each([
  [['list'], 1, 'there is no bucket; set BACKUP_S3_URL'],
  [[], 2, 'bucket takes list, get NAME [FILE] or put FILE, got nothing'],
  [['put'], 2, 'bucket takes list, get NAME [FILE] or put FILE, got "put"'],
  [['get', '--force', 'a'], 2, 'unknown argument "--force a"'],
])('bucket %j without settings says what lacks', async (args, code, said) => {
  const { err, code: exitCode } = await run(['bucket', ...args], {})
  expect([err.split('\n')[0], exitCode]).toEqual([`nines: ${said}`, code])
})
