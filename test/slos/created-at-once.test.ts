import { afterEach, expect, test } from 'bun:test'
import type { Caller } from '../../src/http/signed-in.ts'
import { changeSlo } from '../../src/slos/edit.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
afterEach(() => nines.close())

/** Starts nines and counts transactions from then on. */
async function start(env: Record<string, string> = {}): Promise<{ transactions: number }> {
  nines = await joinedApp({ env })
  const counted = { transactions: 0 }
  const { write } = nines.app.db
  const transaction = write.transaction.bind(write)
  write.transaction = () => {
    counted.transactions += 1
    return transaction()
  }
  return counted
}

const create = (at: number, change = {}) =>
  nines.call('POST', '/api/v1/slos', { ...checkout, name: `SLO ${at}`, ...change })
const count = async (table: 'slos' | 'slo_revisions' | 'slo_changes' | 'backfills') => {
  const rows = nines.app.db.read.selectFrom(table).select((q) => q.fn.countAll<number>().as('count'))
  return (await rows.executeTakeFirstOrThrow()).count
}
const created = async () => {
  const rows = nines.app.db.read.selectFrom('audit_log').select('details').where('event', '=', 'slo_created')
  return (await rows.orderBy('id').execute()).map(({ details }) => JSON.parse(details).name)
}

test('SLOs that are created at once share commits, and each has all that belongs to it', async () => {
  const counted = await start()
  const names = Array.from({ length: 20 }, (_, at) => `SLO ${at}`)
  const answers = await Promise.all(names.map((_, at) => create(at)))
  expect(answers.map(({ status, body }) => [status, body.name])).toEqual(names.map((name) => [201, name]))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(20)
  expect(counted.transactions).toBeLessThan(10)
  for (const table of ['slos', 'slo_revisions', 'slo_changes', 'backfills'] as const)
    expect(await count(table)).toBe(20)
  expect((await created()).toSorted()).toEqual(names.toSorted())
})

test('what refuses one SLO refuses none of those that are created with it', async () => {
  await start({ QUOTA_SLOS: '4' })
  const changes = [{}, { team_id: 99 }, {}, { source_id: 7 }, {}, {}, {}, { metric_query: 'sum(' }]
  const answers = await Promise.all(changes.map((change, at) => create(at, change)))
  const statuses = answers.map(({ status }) => status)
  expect([statuses[1], statuses[3], statuses[7]]).toEqual([400, 400, 400])
  expect([0, 2, 4, 5, 6].map((at) => statuses[at] ?? 0).toSorted()).toEqual([201, 201, 201, 201, 409])
  expect(await count('slos')).toBe(4)
  expect(await created()).toHaveLength(4)
})

test('SLOs that are changed at once share commits, and one that is not there fails alone', async () => {
  const counted = await start()
  const { body } = await create(1)
  const { body: other } = await create(2)
  counted.transactions = 0
  // called directly, in one turn of the loop: requests may arrive a turn after one another
  const deps = { ...nines.app, assertReadable: async () => {} }
  const user = {
    userId: 1,
    organizationId: 1,
    email: 'ada@example.com',
    name: 'ada',
    role: 'admin',
    sessionId: 1,
  } as const
  const caller: Caller = { ...user, credential: { type: 'session', id: 1 }, origin: { ip: '127.0.0.1', userAgent: '' } }
  const change = (id: number) => changeSlo(deps, caller, id, { name: `renamed ${id}` })
  const answers = await Promise.allSettled([change(body.id), change(99), change(other.id)])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(counted.transactions).toBe(1)
})
