import { afterEach, beforeEach, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Status } from '../../src/slos/arithmetic/budget.ts'
import { pruneOldRows } from '../../src/jobs/prune.ts'
import { rollUpEvaluations, rollUpSome } from '../../src/evaluation/roll-up-store.ts'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { evaluation, failure, put, testStartSeconds } from '../support/evaluations.ts'
import { checkout } from '../support/slo-calls.ts'

const hour = 3600
const day = 86_400
const from = testStartSeconds - 3 * day // 10:00

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  for (const name of ['one', 'two']) await nines.call('POST', '/api/v1/slos', { ...checkout, name })
})
afterEach(() => nines.close())

const rows = () => nines.app.db.read.selectFrom('evaluations').selectAll().orderBy('slo_id').orderBy('at').execute()
const add = (...evaluations: Evaluation[]) => put(nines.app.db.write, ...evaluations)
const at = (atSeconds: number, change: Partial<Evaluation> = {}) => evaluation({ atSeconds, ...change })
const rollUp = () => rollUpEvaluations(nines.app)

test('of an hour the last evaluation stays, with the worst status and the lowest value of all', async () => {
  await add(
    at(from, { current: 99.2, status: 'critical' }),
    at(from + 60, { current: 99.1, status: 'warning' }),
    failure({ atSeconds: from + 120 }),
    at(from + 3540, { current: 99.97, own: 99.5, budgetUsed: 50 }),
    at(from + 3600, { current: 99.8 }),
  )
  await rollUp()
  expect(await rows()).toMatchObject([
    {
      at: from + 3540,
      status: 'healthy',
      current_value: 99.97,
      own_value: 99.5,
      budget_used: 50,
      burn_rates: '[[3600,300,0.5,null]]',
      resolution: 3600,
      rolled_up: 4,
      worst_status: 'critical',
      lowest_value: 99.1,
    },
    { at: from + 3600, resolution: 3600, rolled_up: 1, worst_status: 'healthy', lowest_value: 99.8 },
  ])
})

test.each([
  [['healthy', 'unknown'], 'unknown'],
  [['unknown', 'warning'], 'warning'],
  [['critical', 'warning'], 'critical'],
  [['healthy', 'healthy'], 'healthy'],
] as const)('of %p the worst is %p', async (statuses, worst) => {
  await add(...statuses.map((status, n) => at(from + 60 * n, { status })))
  await rollUp()
  expect((await rows()).map(({ worst_status }) => worst_status)).toEqual([worst])
})

test('hours are rolled up once they ended two days ago', async () => {
  const open = testStartSeconds - 2 * day
  await add(at(open - 60), at(open - 120), at(open), at(open + 60))
  nines.clock.advance(59 * 60 * 1000)
  await rollUp()
  expect((await rows()).map(({ at, rolled_up }) => [at - open, rolled_up])).toEqual([
    [-60, 2],
    [0, 1],
    [60, 1],
  ])
})

test('days are rolled up once they ended 35 days ago, from their hours', async () => {
  const midnight = testStartSeconds - 10 * hour - 36 * day
  await add(
    at(midnight + 60, { current: 98, status: 'warning' }),
    at(midnight + 5 * hour),
    at(midnight + 5 * hour + 60),
    at(midnight + day - 60, { current: 99.99 }),
    at(midnight + day + day),
  )
  await rollUp()
  expect(await rows()).toMatchObject([
    { at: midnight + day - 60, resolution: day, rolled_up: 4, worst_status: 'warning', lowest_value: 98 },
    { at: midnight + 2 * day, resolution: hour, rolled_up: 1 },
  ])
})

test('what different queries measured stays apart', async () => {
  await add(at(from, { current: 50, status: 'critical' }))
  await nines.call('PUT', '/api/v1/slos/1', { metric_query: 'up' })
  await add(at(from + 60, { revision: 2 }), at(from + 120, { revision: 2 }), at(from, { sloId: 2 }))
  await rollUp()
  expect((await rows()).map((row) => [row.slo_id, row.revision, row.rolled_up, row.worst_status])).toEqual([
    [1, 1, 1, 'critical'],
    [1, 2, 2, 'healthy'],
    [2, 1, 1, 'healthy'],
  ])
})

test('an evaluation that comes late joins the hour that was rolled up without it', async () => {
  await add(at(from, { status: 'warning' }), at(from + 60))
  await rollUp()
  await add(at(from + 30, { current: 90, status: 'critical' }))
  await rollUp()
  expect(await rows()).toMatchObject([{ at: from + 60, rolled_up: 3, worst_status: 'critical', lowest_value: 90 }])
})

test('rolled up in steps, cut short anywhere and begun again, it is the same', async () => {
  const statuses: Status[] = ['healthy', 'unknown', 'warning', 'critical']
  const one = fc.record({
    sloId: fc.constantFrom(1, 2),
    minute: fc.integer({ min: 0, max: 300 }),
    status: fc.constantFrom(...statuses),
    current: fc.integer({ min: 0, max: 100 }),
  })
  const some = fc.uniqueArray(one, {
    minLength: 1,
    maxLength: 60,
    selector: ({ sloId, minute }) => `${sloId} ${minute}`,
  })
  const level = { from: 0, to: 3600 } as const
  await fc.assert(
    fc.asyncProperty(some, fc.integer({ min: 1, max: 5 }), fc.nat(5), async (given, limit, stepsBefore) => {
      await nines.app.db.write.deleteFrom('evaluations').execute()
      await add(...given.map(({ minute, ...rest }) => at(from + 60 * minute, rest)))
      for (let n = 0; n < stepsBefore; n++) await rollUpSome(nines.app.db.write, level, from + 3 * hour, limit)
      await rollUp()
      await rollUp()
      const groups = Map.groupBy(given, ({ sloId, minute }) => `${sloId} ${Math.floor(minute / 60)}`)
      const expected = [...groups.values()].map((group) => ({
        rolled_up: group.length,
        at: from + 60 * Math.max(...group.map(({ minute }) => minute)),
        worst_status: statuses[Math.max(...group.map(({ status }) => statuses.indexOf(status)))],
        lowest_value: Math.min(...group.map(({ current }) => current)),
        slo_id: group[0]?.sloId,
      }))
      expect(await rows()).toHaveLength(expected.length)
      expect(await rows()).toEqual(expect.arrayContaining(expected.map((row) => expect.objectContaining(row))))
    }),
    { numRuns: 50 },
  )
})

test('many go in steps, and others are served in between', async () => {
  const hours = Array.from({ length: 200 }, (_, n) => [at(from - n * hour), at(from - n * hour + 60)]).flat()
  await add(...hours)
  const rolling = rollUp()
  let meanwhile = 400
  while (meanwhile === 400) {
    await new Promise(setImmediate)
    meanwhile = (await rows()).length
  }
  expect(meanwhile).toBeGreaterThan(200)
  await rolling
  expect(await rows()).toHaveLength(200)
})

test('an evaluation is forgotten after RETENTION_DAYS, rolled up or not', async () => {
  const oldest = testStartSeconds - nines.app.config.retentionDays * day
  await add(at(oldest - 60), at(oldest - 2 * day), at(oldest))
  await rollUp()
  await add(at(oldest - 120))
  await pruneOldRows(nines.app)
  expect((await rows()).map(({ at }) => at)).toEqual([oldest])
})
