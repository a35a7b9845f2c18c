import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { pruneOldRows } from '../../src/jobs/prune.ts'
import { testApp, testStartMs } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { overwritePage, rootPage } from '../support/damage.ts'

test('a table that is damaged keeps no other from losing its old rows, and the job says that it failed', async () => {
  const before = await joinedApp()
  await before.app.close()
  const path = join(before.dataDir, 'nines.db')
  for (const name of [
    'executions',
    'executions_of_slo',
    'executions_of_query',
    'executions_to_forget',
    'executions_by_time',
    'executions_by_hand',
  ])
    overwritePage(path, rootPage(path, name))
  const env = { RETENTION_DAYS: '30' }
  const nines = await testApp({ env, dataDir: before.dataDir, startMs: testStartMs + 40 * 86_400_000 })
  const entries = () => nines.app.db.read.selectFrom('audit_log').select('id').execute()
  expect(await entries()).not.toEqual([])
  await expect(pruneOldRows(nines.app)).rejects.toThrow('nines.db is damaged')
  expect(await entries()).toEqual([])
  await nines.close()
})
