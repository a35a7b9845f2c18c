import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { insertRow } from '../../src/db/statements/insert-row.ts'
import { type Database, type Db, openDatabase } from '../../src/db/open.ts'
import { defaultQuotas } from '../../src/quotas.ts'
import { newDataDir } from '../support/app.ts'

let dataDir: string
let db: Database

beforeEach(async () => {
  dataDir = newDataDir()
  db = openDatabase({ dataDir, quotas: { ...defaultQuotas, sources: 3 } })
  for (const name of ['one', 'other']) await insertRow(db.write, 'organizations', { name, created_at: 1 })
})
afterEach(async () => {
  await db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

let named = 0
const source = (trx: Db, organization_id: number) => {
  const name = `source ${(named += 1)}`
  const empty = { sealed_auth: null, last_check_at: null, last_error: null, created_at: 1, updated_at: 1 }
  const row = { organization_id, name, api_url: 'http://a', is_active: 1, is_default: 0, ...empty } as const
  return insertRow(trx, 'data_sources', row)
}
const fill = async (organizationId: number) => {
  for (let count = 0; count < 3; count += 1) await source(db.write, organizationId)
}

test('rows that were undone take no room', async () => {
  for (let time = 0; time < 5; time += 1) {
    const undone = db.write.transaction().execute(async (trx) => {
      for (let count = 0; count < 3; count += 1) await source(trx, 1)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
  }
  await fill(1)
  await expect(source(db.write, 1)).rejects.toMatchObject({ message: 'Quota exceeded' })
})

test('each row that goes makes room for one', async () => {
  await fill(1)
  for (let time = 0; time < 3; time += 1) {
    await expect(source(db.write, 1)).rejects.toMatchObject({ message: 'Quota exceeded' })
    const oldest = db.write.selectFrom('data_sources').select('id').orderBy('id').limit(1)
    await db.write.deleteFrom('data_sources').where('id', '=', oldest).execute()
    await source(db.write, 1)
  }
  await expect(source(db.write, 1)).rejects.toMatchObject({ message: 'Quota exceeded' })
})

test('one organization takes no room of another', async () => {
  await fill(1)
  await fill(2)
  await expect(source(db.write, 2)).rejects.toMatchObject({ message: 'Quota exceeded' })
})

test('a quota holds for the rows that were there before the start', async () => {
  await fill(1)
  await db.close()
  db = openDatabase({ dataDir, quotas: { ...defaultQuotas, sources: 3 } })
  await expect(source(db.write, 1)).rejects.toMatchObject({ message: 'Quota exceeded' })
})

test('notifications are counted when a tenth of the room may be used, and refused where there is none', async () => {
  const { quotas, write } = db
  let counts = 0
  const counting = write.withPlugin({
    transformQuery: ({ node }) => ((counts += 1), node),
    transformResult: async ({ result }) => result,
  })
  const enter = () => quotas.assertRoom(counting, 1, 'notifications', 0)
  for (let time = 0; time < 1001; time += 1) await enter()
  expect(counts).toBe(2)
})
