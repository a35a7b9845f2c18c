import { afterEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { tryWriting } from '../../src/db/try-writing.ts'
import { type TestApp, testApp } from '../support/app.ts'

let nines: TestApp
afterEach(() => nines.close())

const slo = { name: 'a', target: 99, time_window: '1h', metric_type: 'latency', metric_query: 'up' }
const create = (description = '') => nines.call('POST', '/api/v1/slos', { ...slo, description })

test('a write the database has no room for is refused, says why in the log, and the next one works again', async () => {
  nines = await testApp()
  await nines.join('ada')
  const { write } = nines.app.db
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(write)
  await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(write)
  const answers = [await create('x'.repeat(4000)), await create('x'.repeat(4000)), await create('x'.repeat(4000))]
  expect(answers.at(-1)?.status).toBe(500)
  expect(nines.logged.find((line) => line.includes('request failed'))).toContain('database or disk is full')
  await sql`pragma max_page_count = 1000000`.execute(write)
  expect((await create()).status).toBe(201)
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
