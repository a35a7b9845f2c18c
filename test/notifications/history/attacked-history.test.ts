import { afterEach, beforeEach, expect, test } from 'bun:test'
import { CompiledQuery, createQueryId, type RootOperationNode } from 'kysely'
import { type HistoryFilter, listNotifications } from '../../../src/notifications/history/history-store.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
})
afterEach(() => nines.close())

/** Query plans of a page of the history. */
async function plansOf(filter: HistoryFilter): Promise<string[]> {
  const { read } = nines.app.db
  const queries: RootOperationNode[] = []
  const spied = read.withPlugin({
    transformQuery: ({ node }) => (queries.push(node), node),
    transformResult: async ({ result }) => result,
  })
  await listNotifications(spied, 1, { ...filter, page: 100, pageSize: 10 })
  const executor = read.getExecutor()
  const plans = await Promise.all(
    queries.map((node) => {
      const { sql, parameters } = executor.compileQuery(node, createQueryId())
      return read.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]))
    }),
  )
  return plans.flatMap(({ rows }) => rows.map(({ detail }) => detail))
}

test.each<[string, HistoryFilter]>([
  ['everything', {}],
  ['a channel', { channelId: 1 }],
  ['a status', { status: 'failed' }],
  ['a type of alert', { alertType: 'violation' }],
  ['several of these', { channelId: 1, status: 'failed', alertType: 'manual' }],
])('a page of the history of %s reads no notification that it does not return', async (_, filter) => {
  const plans = await plansOf(filter)
  const passing = plans.filter((plan) => plan.startsWith('SEARCH') && !plan.includes('PRIMARY KEY'))
  expect(passing.length).toBeGreaterThan(1)
  for (const plan of passing) expect(plan).toContain('COVERING INDEX')
  expect(plans.join()).not.toContain('SCAN')
})
