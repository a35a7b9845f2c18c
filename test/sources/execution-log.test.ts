import { expect, test } from 'bun:test'
import { createExecutionLog } from '../../src/sources/execution-log.ts'
import { DiskFailure } from '../../src/db/failures/disk-failure.ts'
import type { Database } from '../../src/db/open.ts'
import { calculator, twoSided } from '../support/calculator.ts'
import { createLog } from '../../src/log.ts'

const silentLog = createLog({ level: 'error', format: 'json', now: () => 0, write: () => {} })
const on = calculator()
const stored = () => on.nines.app.db.read.selectFrom('executions').select(['id', 'query_id', 'metadata']).execute()

/** Answers 1 to everything, including queries of both sides. */
const answerAll = () =>
  on.source.script((expression) =>
    expression.startsWith('label_replace')
      ? ['counted', 'total'].map((side) => ({ labels: { nines_side: side }, value: 1 }))
      : 1,
  )

test('what a calculation has sent is stored behind its answer, and by closing at the latest', async () => {
  answerAll()
  await on.calculate({ metric_query: twoSided }, '30d')
  expect(await stored()).toHaveLength(0)
  await on.nines.app.executions.flush()
  expect(await stored()).toHaveLength(3)
  await on.again(1, '30d')
  await on.nines.app.executions.drain()
  expect(await stored()).toHaveLength(4)
  await on.again(1, '30d')
  expect(await stored()).toHaveLength(5) // no later flush would store it
})

test('who lists the executions of a query sees those of every calculation that has been answered', async () => {
  answerAll()
  await on.calculate({ metric_query: twoSided }, '30d')
  const request = { slo_id: 1, query_name: 'x', query_type: 'custom', source_query: twoSided, is_active: false }
  const { body } = await on.nines.call('POST', '/api/v1/tsdb/queries', request)
  await on.again(1, '30d')
  const listed = await on.nines.call('GET', `/api/v1/tsdb/queries/${body.id}/executions`)
  expect(listed.body).toMatchObject({ total: 1, executions: [{ metadata: { part: 'sides', time_range: '30d' } }] })
})

test('once the disk has refused, the next is stored by its caller, which learns of it', async () => {
  let made = 0
  let refusal: Error | null = new DiskFailure('disk_full', 'SQLITE_FULL')
  const groupCommit = async () => {
    made += 1
    if (refusal) throw refusal
  }
  const executions = createExecutionLog({ db: { groupCommit } as unknown as Database, log: silentLog })
  const add = () => executions.add(async () => {})
  expect([add(), add()]).toEqual([true, true])
  await executions.flush()
  refusal = null
  expect([made, add(), add()]).toEqual([2, false, true])
  await executions.drain()
  expect([made, add()]).toEqual([3, false])
})

test('no more than a thousand calculations wait', async () => {
  const groupCommit = async () => {}
  const executions = createExecutionLog({ db: { groupCommit } as unknown as Database, log: silentLog })
  const taken = Array.from({ length: 1001 }, () => executions.add(async () => {}))
  expect(taken.filter(Boolean)).toHaveLength(1000)
  await executions.drain()
})
