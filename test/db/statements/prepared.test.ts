import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../src/db/open.ts'
import { prepared } from '../../../src/db/statements/prepared.ts'
import { closeLater } from '../../support/closing.ts'

function open() {
  const db = openDatabase({ dataDir: mkdtempSync(join(tmpdir(), 'nines-test-')) })
  closeLater(() => db.close())
  return db
}

test('a prepared query is made once and takes other values each time, on any connection', async () => {
  let made = 0
  const add = prepared<{ one: number; other: number }, { sum: number }>(({ one, other }) => {
    made += 1
    return sql`select ${one} + ${other} + ${one} + ${1000} as sum`
  })
  const [first, second] = [open(), open()]
  const sums = [await add(first.read, { one: 1, other: 10 }), await add(second.write, { one: 2, other: 20 })]
  expect(sums.flatMap(({ rows }) => rows)).toEqual([{ sum: 1012 }, { sum: 1024 }])
  expect(made).toBe(1)
})
