import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type HistoryFilter, listNotifications } from '../../../src/notifications/history/history-store.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { queryPlansOf } from '../../support/query-plans.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
})
afterEach(() => nines.close())

test.each<[string, HistoryFilter]>([
  ['everything', {}],
  ['a channel', { channelId: 1 }],
  ['a status', { status: 'failed' }],
  ['a type of alert', { alertType: 'violation' }],
  ['several of these', { channelId: 1, status: 'failed', alertType: 'manual' }],
])('a page of the history of %s reads no notification that it does not return', async (_, filter) => {
  const plans = await queryPlansOf(nines.app.db.read, (db) =>
    listNotifications(db, 1, { ...filter, page: 100, pageSize: 10 }),
  )
  const passing = plans.filter((plan) => plan.startsWith('SEARCH') && !plan.includes('PRIMARY KEY'))
  expect(passing.length).toBeGreaterThan(1)
  for (const plan of passing) expect(plan).toContain('COVERING INDEX')
  expect(plans.join()).not.toContain('SCAN')
})
