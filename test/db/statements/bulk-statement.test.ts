import { expect, test } from 'bun:test'
import { executeOverRows } from '../../../src/db/statements/bulk-statement.ts'
import { emptyDatabase } from '../../support/empty-database.ts'

const db = emptyDatabase()

const texts: string[] = []
const put = (values: string) => {
  texts.push(values)
  return `insert into organizations (name, created_at) values ${values}`
}
const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => [`row ${at}`, at])
const names = async () => (await db.read.selectFrom('organizations').select(['name', 'created_at']).execute()).length

const failureOf = (work: Promise<unknown>) => work.then(() => 'none', String)

test('any number of rows are executed, by two texts that are made once', async () => {
  for (const count of [0, 1, 49, 50, 51, 170]) await executeOverRows(db.write, rowsOf(count), put)
  expect(await names()).toBe(321)
  expect(texts.map((text) => text.split('),').length)).toEqual([1, 50])
})

test('all rows or none are executed, inside of a transaction and outside', async () => {
  const spoilt = [...rowsOf(60), ['', null]]
  expect(await failureOf(executeOverRows(db.write, spoilt, put))).toContain('NOT NULL')
  expect(await names()).toBe(0)
  const inside = db.write.transaction().execute(async (trx) => {
    await executeOverRows(trx, rowsOf(60), put)
    await executeOverRows(trx, spoilt, put)
  })
  expect(await failureOf(inside)).toContain('NOT NULL')
  expect(await names()).toBe(0)
})

test.each([NaN, Infinity, -Infinity])('%p is NULL', async (value) => {
  expect(await failureOf(executeOverRows(db.write, [['x', value]], put))).toContain('NOT NULL')
})
