import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { tryWriting } from '../../src/db/open.ts'
import { type TestApp, testApp } from '../support/app.ts'

let nines: TestApp
afterEach(() => nines.close())

const slo = { name: 'a', target: 99, time_window: '1h', metric_type: 'latency', metric_query: 'up' }
const create = (description = '') => nines.call('POST', '/api/v1/slos', { ...slo, description })

/** Limits the database to its present pages, or removes the limit. */
async function limitPages(to: 'now' | 'none') {
  const { write } = nines.app.db
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(write)
  const max = to === 'now' ? (rows[0]?.page_count ?? 0) : 1_000_000
  await sql`pragma max_page_count = ${sql.lit(max)}`.execute(write)
}

async function untilRefused() {
  await limitPages('now')
  for (let tried = 0; tried < 10; tried += 1) {
    const answer = await create('x'.repeat(4000))
    if (answer.status !== 201) return answer
  }
  throw new Error('nothing was refused')
}

test('a write the disk has no room for is a 503 that says what to free, and the next one works once there is room', async () => {
  nines = await testApp()
  await nines.join('ada')
  const refused = await untilRefused()
  expect([refused.status, refused.body]).toEqual([
    503,
    {
      success: false,
      error: 'disk is full',
      details: 'nothing can be stored until space is freed on the file system of the data folder (DATA_DIR)',
    },
  ])
  expect(refused.headers.get('retry-after')).toBe('5')
  expect((await nines.call('GET', '/api/v1/slos')).status).toBe(200)
  await limitPages('none')
  expect((await create()).status).toBe(201)
})

test('a full disk is one condition, from the first write it refuses until the look that finds it writable', async () => {
  nines = await testApp()
  await nines.join('ada')
  const { conditions, disk } = nines.app
  const names = () => conditions.list().map(({ name }) => name)
  expect((await nines.call('GET', '/ready')).status).toBe(200)
  await untilRefused()
  expect(names()).toEqual(['disk_full'])
  const ready = await nines.call('GET', '/ready')
  expect([ready.status, ready.body.error]).toEqual([503, 'disk is full'])
  await limitPages('none')
  await disk.check()
  expect(names()).toEqual([])
  nines.clock.advance(1000)
  expect((await nines.call('GET', '/ready')).status).toBe(200)
})

test('a full disk is logged once when it begins, once a minute with the number of writes, and never with a stack', async () => {
  nines = await testApp()
  await nines.join('ada')
  const { disk, log } = nines.app
  await untilRefused()
  const before = nines.logged.length
  const errors = () => nines.logged.slice(before).filter((line) => JSON.parse(line).level === 'error')
  const began = nines.logged.find((line) => line.includes('condition began'))
  expect(JSON.parse(began ?? '')).toMatchObject({ condition: 'disk_full', problem: 'disk is full' })
  await rm(join(nines.dataDir, 'space.trial'), { force: true })
  // a check then finds that nothing can be written
  await mkdir(join(nines.dataDir, 'space.trial'))
  for (let second = 0; second < 125; second += 1) {
    await create('x'.repeat(4000))
    await nines.app.delivery.run().catch((error: unknown) => log.error('job failed', { job: 'deliver', error }))
    nines.clock.advance(1000)
    await disk.check()
  }
  expect(errors().map((line) => JSON.parse(line))).toMatchObject([
    { message: 'writes refused', condition: 'disk_full', writes: expect.any(Number) },
    { message: 'writes refused', condition: 'disk_full', writes: 60 },
  ])
  await limitPages('none')
})

test('trying to write changes nothing, and fails where writing does', async () => {
  nines = await testApp()
  const { read, write } = nines.app.db
  const version = async () => (await sql<{ user_version: number }>`pragma user_version`.execute(read)).rows
  const before = await version()
  await tryWriting(write)
  expect(await version()).toEqual(before)
  await expect(tryWriting(read)).rejects.toThrow('readonly')
})
