import { afterEach, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BucketError, openBucket } from '../../../src/app/backups/bucket.ts'
import { readConfig } from '../../../src/config.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeAll } from '../../support/closing.ts'
import { noise } from '../../support/damage.ts'
import { newFolder } from '../../support/process.ts'
import { type S3Fault, s3Keys, startS3 } from '../../support/s3-server.ts'

afterEach(closeAll)

/** A bucket with parts of 1000 bytes, and the store behind it. */
function world(env: Record<string, string> = {}) {
  const store = startS3()
  const config = readConfig({
    BACKUP_S3_URL: `${store.url}/of nines (1)`.replaceAll(' ', '%20'),
    BACKUP_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    BACKUP_S3_REGION: s3Keys.region,
    ...env,
  })
  const bucket = openBucket(config, {
    outbound: createOutbound({ deny: [], ownPort: () => null }),
    clock: { now: () => Date.parse('2026-11-29T02:15:00Z') },
    partBytes: 1000,
    timeoutsMs: { large: 500, other: 500 },
    retryDelaysMs: [1, 1],
  })
  if (!bucket) throw new Error('there must be a bucket')
  return { bucket, ...store }
}

function newFile(bytes: number): string {
  const file = join(newFolder(), 'nines.tar.zst')
  writeFileSync(file, noise(bytes))
  return file
}

test.each([0, 999, 1000, 1001, 4500])('a file of %d bytes comes back as it was', async (bytes) => {
  const { bucket, objects, uploads } = world()
  const [file, back] = [newFile(bytes), join(newFolder(), 'back')]
  await bucket.put('nines.tar.zst', file)
  expect([...objects.keys()]).toEqual(['of nines (1)/nines.tar.zst'])
  expect(uploads.size).toBe(0)
  const [object = { name: '', bytes: -1 }] = await bucket.list()
  expect(object).toEqual({ name: 'nines.tar.zst', bytes })
  await bucket.get(object, back)
  expect(readFileSync(back).equals(readFileSync(file))).toBe(true)
  expect(statSync(back).mode & 0o777).toBe(0o600)
  await bucket.remove('nines.tar.zst')
  expect(await bucket.list()).toEqual([])
})

test('a list has all pages, and nothing of other folders', async () => {
  const { bucket, objects, state } = world()
  state.pageSize = 2
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) objects.set(`of nines (1)/${name}`, Buffer.alloc(1))
  for (const key of ['a', 'of nines (1)/deeper/a', 'of nines (10)/a']) objects.set(key, Buffer.alloc(1))
  expect((await bucket.list()).map(({ name }) => name)).toEqual(names)
})

/** A refusal of one part of a file, and what is said of it; each is tried again where that may help. */
test.each<[string, S3Fault, RegExp, number]>([
  ['is full', { kind: 'refuse', status: 507, code: 'XMinioStorageFull' }, /HTTP 507, XMinioStorageFull/, 3],
  ['is busy', { kind: 'refuse', status: 503, code: 'SlowDown' }, /HTTP 503, SlowDown/, 3],
  ['must not be written', { kind: 'refuse', status: 403, code: 'AccessDenied' }, /the key may not do that/, 1],
  ['has moved', { kind: 'refuse', status: 301, code: 'PermanentRedirect' }, /it is elsewhere/, 1],
  ['does not answer', { kind: 'silent' }, /did not answer within 0.5 seconds/, 3],
])(
  'a store that %s in the middle of a file has nothing of it, and the problem is named',
  async (_, fault, said, count) => {
    const { bucket, objects, uploads, state, requests } = world()
    state.fault = (method, path) => (method === 'PUT' && path.includes('partNumber=3') ? fault : null)
    await expect(bucket.put('nines.tar.zst', newFile(4500))).rejects.toThrow(said)
    const tries = requests.filter((request) => request.includes('partNumber=3')).length
    expect([tries, objects.size, uploads.size]).toEqual([count, 0, 0])
    expect(requests.at(-1)).toStartWith('DELETE ')
  },
)

test('a store that cuts the connection in the middle of a file has nothing of it, and takes it later', async () => {
  const { bucket, objects, uploads, state } = world()
  state.isCut = (method, path) => method === 'PUT' && path.includes('partNumber=3')
  await expect(bucket.put('nines.tar.zst', newFile(4500))).rejects.toThrow('cannot be reached (connection lost')
  expect([objects.size, uploads.size]).toEqual([0, 0])
  state.isCut = () => false
  await bucket.put('nines.tar.zst', newFile(4500))
  expect(objects.size).toBe(1)
})

test('a part that fails once is sent again', async () => {
  const { bucket, objects, state } = world()
  let failures = 1
  state.fault = (method) => {
    if (method !== 'PUT' || failures === 0) return null
    failures -= 1
    return { kind: 'refuse', status: 500, code: 'InternalError' }
  }
  await bucket.put('nines.tar.zst', newFile(2500))
  expect(objects.size).toBe(1)
})

test.each([
  [
    { BACKUP_S3_SECRET_ACCESS_KEY: 'another' },
    'SignatureDoesNotMatch, BACKUP_S3_SECRET_ACCESS_KEY or BACKUP_S3_REGION',
  ],
  [{ BACKUP_S3_ACCESS_KEY_ID: 'another' }, 'InvalidAccessKeyId, BACKUP_S3_ACCESS_KEY_ID is wrong'],
  [{ BACKUP_S3_URL: 'http://127.0.0.1:9/backups' }, 'cannot be reached (connection refused)'],
])('wrong settings are named: %p', async (env, said) => {
  const { bucket } = world(env)
  await expect(bucket.put('nines.tar.zst', newFile(10))).rejects.toThrow(said)
  await expect(bucket.list()).rejects.toThrow(said)
})

test('a message has the name of the error alone, and what the server says besides is for the log', async () => {
  const { bucket, state } = world()
  const message = 'key of a person &lt;ada&gt;'
  state.fault = () => ({ kind: 'refuse', status: 403, code: 'AccessDenied', message })
  const error = (await bucket.list().catch((thrown: unknown) => thrown)) as BucketError
  expect([error.message.includes('ada'), error.details]).toEqual([false, 'key of a person <ada>'])
})

test('an upload that is aborted ends with its reason, and leaves nothing', async () => {
  const { bucket, uploads, objects, state } = world()
  const controller = new AbortController()
  state.fault = (_, path) => {
    if (!path.includes('partNumber=2')) return null
    controller.abort(new Error('nines stops'))
    return { kind: 'silent' }
  }
  await expect(bucket.put('nines.tar.zst', newFile(4500), controller.signal)).rejects.toThrow('nines stops')
  expect([uploads.size, objects.size]).toEqual([0, 0])
})

test.each([
  [{ BACKUP_S3_URL: 'https://s3.example.org' }, 'BACKUP_S3_URL: must end with the name of the bucket'],
  [{ BACKUP_S3_URL: 'https://a:hunter2@s3.example.org/b' }, 'BACKUP_S3_URL: must be an http(s) URL without user name'],
  [{ BACKUP_S3_URL: 's3://bucket' }, 'BACKUP_S3_URL: must be an http(s) URL'],
  [{ BACKUP_S3_URL: 'https://s3.example.org/b' }, 'BACKUP_S3_SECRET_ACCESS_KEY must be set too'],
])('settings that cannot work are refused: %p', (env, message) => {
  expect(() => readConfig(env)).toThrow(message)
  expect(() => readConfig(env)).not.toThrow('hunter2')
})
