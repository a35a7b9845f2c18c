import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '../../src/db/open.ts'
import { queueNotifications } from '../../src/notifications/outbox-store.ts'
import { type Answer, type TestApp, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { webhookTo } from '../support/good-configurations.ts'
import { aDraft } from '../support/messages.ts'
import { startReceiver } from '../support/receiver.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
})
afterEach(async () => {
  rmSync(aside(), { recursive: true, force: true })
  await closeAll()
  await nines.close()
})

const aside = () => `${nines.dataDir}.aside`
const moveAway = () => renameSync(nines.dataDir, aside())
function putBack() {
  rmSync(nines.dataDir, { recursive: true, force: true })
  renameSync(aside(), nines.dataDir)
}
function replaceByCopy(path: string) {
  cpSync(path, `${path}.copy`, { recursive: true })
  renameSync(path, `${path}.old`)
  closeLater(() => rmSync(`${path}.old`, { recursive: true, force: true }))
  renameSync(`${path}.copy`, path)
}
const remove = (path: string) => rmSync(path, { recursive: true })

const createSlo = () => nines.call('POST', '/api/v1/slos', { ...checkout, force: true })
const createTeam = (name = 'Shop') => nines.call('POST', '/api/v1/organization/teams', { name })
const health = async () => (await nines.call('GET', '/api/v1/health')).body
const refusal = ({ status, body, headers }: Answer) => [status, body.error, headers.get('retry-after')]
const refusedFor = (file: string) => [503, `${file} was moved, removed or replaced`, '5']

test.each([
  ['nines.db', 'the folder is moved', '', moveAway],
  ['nines.db', 'the folder is removed', '', remove],
  ['nines.db', 'the folder is replaced by its copy', '', replaceByCopy],
  ['nines.db', 'nines.db is removed', 'nines.db', remove],
  ['nines.db', 'nines.db is replaced by its copy', 'nines.db', replaceByCopy],
  ['nines.db-wal', 'its write-ahead log is removed', 'nines.db-wal', remove],
  ['nines.db-shm', 'what other processes would lock by is removed', 'nines.db-shm', remove],
])('no write is acknowledged, for %s, once %s', async (file, _, name, displace) => {
  displace(join(nines.dataDir, name))
  const answers = [await createSlo(), await createTeam(), await nines.call('POST', '/api/v1/tsdb/sources', source)]
  expect(answers.map(refusal)).toEqual(answers.map(() => refusedFor(file)))
  expect(answers[0]?.body.details).toContain('restart nines')
  expect((await nines.call('GET', '/api/v1/slos')).status).toBe(200)
})

const source = { name: 'prod', api_url: 'http://127.0.0.1:9' }

test('what is refused while the folder is elsewhere is not stored, and is taken again once the folder is back', async () => {
  const teams = async () => (await nines.call('GET', '/api/v1/organization/teams')).body.teams.length
  const before = await teams()
  moveAway()
  expect((await createTeam()).status).toBe(503)
  putBack()
  expect(await teams()).toBe(before)
  expect((await createTeam()).status).toBe(201)
})

test.each([
  ['a transaction', (work: (trx: Db) => Promise<unknown>) => nines.app.db.write.transaction().execute(work)],
  ['a group commit', (work: (trx: Db) => Promise<unknown>) => nines.app.db.groupCommit(work)],
])('%s during which the folder is moved is not acknowledged, and the next one is not tried', async (_, run) => {
  const write = (name: string) => (trx: Db) =>
    sql`insert into instance_notes values (${name})`
      .execute(trx)
      .then(() => (name === 'first' ? moveAway() : undefined))
  await sql`create table instance_notes (name text) strict`.execute(nines.app.db.write)
  await expect(run(write('first'))).rejects.toThrow('nines.db was moved, removed or replaced')
  let isTried = false
  await expect(run(async () => (isTried = true))).rejects.toThrow('nines.db was moved, removed or replaced')
  expect(isTried).toBe(false)
  putBack()
  await run(write('second'))
})

test('of many changes in one group commit none is acknowledged', async () => {
  moveAway()
  const answers = await Promise.all(Array.from({ length: 30 }, createSlo))
  expect(answers.map(refusal)).toEqual(answers.map(() => refusedFor('nines.db')))
})

test('a folder that is elsewhere is a condition without any write, which ends once it is back', async () => {
  expect(await health()).toMatchObject({ status: 'ok', conditions: [] })
  moveAway()
  await nines.app.disk.check()
  expect(await health()).toMatchObject({
    status: 'degraded',
    conditions: [
      {
        name: 'data_folder_replaced',
        message: 'nines.db was moved, removed or replaced',
        advice: expect.stringMatching(/back.*restart nines/),
      },
    ],
  })
  const ready = await nines.call('GET', '/ready')
  expect([ready.status, ready.body.error]).toEqual([503, 'nines.db was moved, removed or replaced'])
  await nines.app.disk.check()
  expect((await health()).conditions).toHaveLength(1)
  putBack()
  await nines.app.disk.check()
  expect(await health()).toMatchObject({ status: 'ok', conditions: [] })
})

test('whoever is notified of conditions is notified of a folder that is elsewhere, once, and of its return', async () => {
  const receiver = startReceiver(() => new Response('ok'))
  closeLater(() => void receiver.close())
  const { selfMonitoring, delivery, disk } = nines.app
  const rule = { channel_id: 1, alert_type: 'appliance_condition', priority: 'high', notify: false }
  await nines.call('POST', '/api/v1/notifications/channels', webhookTo(receiver.url))
  expect((await nines.call('POST', '/api/v1/notifications/rules', rule)).status).toBe(201)
  const events = () => receiver.received.map(({ json }) => json.subject)
  const pass = async () => {
    nines.clock.advance(5000)
    await disk.check()
    await selfMonitoring.watch().catch(() => {})
    await selfMonitoring.drain()
    await delivery.run().catch(() => {})
  }
  await pass()
  moveAway()
  for (let count = 0; count < 3; count += 1) await pass()
  expect(events()).toEqual(['Critical: nines: data folder replaced'])
  putBack()
  for (let count = 0; count < 3; count += 1) await pass()
  expect(events()).toEqual(['Critical: nines: data folder replaced', 'Recovered: nines: data folder replaced'])
})

test('another folder in its place is not written to, and does not end the condition', async () => {
  moveAway()
  await nines.app.disk.check()
  mkdirSync(nines.dataDir)
  await nines.app.disk.check()
  expect((await health()).conditions).toHaveLength(1)
  expect([...new Bun.Glob('**').scanSync(nines.dataDir)]).toEqual([])
  putBack()
})

test('a notification whose outcome cannot be stored is sent once, and marked when the folder is back', async () => {
  const sent = Promise.withResolvers<void>()
  const receiver = startReceiver(async () => {
    if (existsSync(nines.dataDir)) moveAway() // the second is sent too, unless the first outcome was refused by then
    sent.resolve()
    return new Response('ok')
  })
  closeLater(() => void receiver.close())
  await nines.call('POST', '/api/v1/notifications/channels', webhookTo(receiver.url))
  await createSlo()
  const { db, delivery, disk } = nines.app
  await queueNotifications(db.write, [aDraft(), aDraft()], nines.clock.now())
  const running = delivery.run()
  await sent.promise
  for (let second = 0; second < 5; second += 1) {
    nines.clock.advance(1000)
    await delivery.run().catch(() => {})
    await disk.check()
  }
  const sentKeys = receiver.received.map(({ headers }) => headers.get('idempotency-key'))
  expect(new Set(sentKeys).size).toBe(sentKeys.length)
  expect(nines.app.conditions.list().map(({ name }) => name)).toEqual(['data_folder_replaced'])
  receiver.next(() => new Response('ok'))
  putBack()
  await disk.check()
  await running.catch(() => {})
  await delivery.run()
  const rows = await db.read.selectFrom('notifications').select(['status', 'idempotency_key']).orderBy('id').execute()
  const keys = receiver.received.map(({ headers }) => headers.get('idempotency-key'))
  expect(keys).toEqual(rows.map(({ idempotency_key }) => idempotency_key))
  expect(rows.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  const attempts = await db.read.selectFrom('notification_attempts').select('notification_id').execute()
  expect(attempts).toHaveLength(2)
})

test.each([
  ['samples.db', 'is replaced', (path: string) => replaceByCopy(path)],
  ['samples.db-wal', 'is removed', (path: string) => remove(path)],
  ['nines.db', 'goes with its folder', (path: string) => remove(dirname(path))],
])('an import is not acknowledged, for %s, once it %s', async (file, _, displace) => {
  const importOne = () =>
    nines.call('POST', '/api/v1/embedded/import', { text: `jobs 3 ${nines.clock.now() / 1000 - 60}\n# EOF\n` })
  expect((await importOne()).status).toBe(200)
  displace(join(nines.dataDir, file))
  expect(refusal(await importOne())).toEqual(refusedFor(file))
})

test('samples that come while samples.db is elsewhere are stored once it is back', async () => {
  const path = join(nines.dataDir, 'samples.db')
  const { samples } = nines.app
  await samples.flushCooperatively()
  renameSync(path, `${path}.aside`)
  samples.append(1, [['__name__', 'jobs']], nines.clock.now(), 3)
  await expect(samples.flushCooperatively()).rejects.toThrow('samples.db was moved, removed or replaced')
  renameSync(`${path}.aside`, path)
  await samples.flushCooperatively()
  const { body } = await nines.call('GET', `/api/v1/embedded/prometheus/api/v1/query?query=jobs`)
  expect(body.data.result).toHaveLength(1)
})

test('a query that a worker would answer from another samples.db is refused, and answered once the file is back', async () => {
  const path = join(nines.dataDir, 'samples.db')
  const { samples } = nines.app
  samples.append(1, [['__name__', 'jobs']], nines.clock.now(), 3)
  await samples.flushCooperatively()
  const query = () => {
    const long = `jobs + 0 * jobs{job!~"${'x'.repeat(500)}"}`
    return nines.call('GET', `/api/v1/embedded/prometheus/api/v1/query?query=${encodeURIComponent(long)}`)
  }
  cpSync(path, `${path}.copy`)
  renameSync(path, `${path}.aside`)
  renameSync(`${path}.copy`, path)
  expect(refusal(await query())).toEqual(refusedFor('samples.db'))
  renameSync(`${path}.aside`, path)
  expect((await query()).body.data.result[0]?.value[1]).toBe('3')
})
