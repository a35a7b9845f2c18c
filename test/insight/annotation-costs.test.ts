import { afterEach, beforeEach, expect, test } from 'bun:test'
import { evaluated, measured, startSeconds } from '../sli/ledger-fixtures.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'

const hour = 3600
const day = 86_400
const labels = { service: 'checkout', team: 'payments' }

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'one', target: 99, time_window: '7d', labels })
  await setBackfill('failed') // nobody knows how old the SLO is: nothing is scaled
})
afterEach(() => nines.close())

const at = (seconds: number) => new Date((startSeconds + seconds) * 1000).toISOString()
const setBackfill = (status: 'waiting' | 'failed') =>
  nines.app.db.write.updateTable('backfills').set({ status }).execute()
const add = (seconds: number, sent: object = { service: 'checkout' }) =>
  nines.call('POST', '/api/v1/annotations', { kind: 'deploy', version: `v${-seconds}`, at: at(seconds), ...sent })
const cost = async (id = 1) => (await nines.call('GET', `/api/v1/annotations/${id}/cost`)).body.data
const minutes = (from: number, to: number, good: number) =>
  measured(nines, { sloId: 1, resolution: 60, from, to }, { good, total: 100 })

/** Stores up to when the SLO has been measured. */
const measuredUntil = (seconds: number) =>
  evaluated(nines, 1, { atSeconds: startSeconds + seconds, evaluatedAtMs: (startSeconds + seconds) * 1000 })

test('a deploy cost what failed until the next deploy of the same SLO, beside as long before it', async () => {
  await minutes(-2 * hour, 0, 100)
  await minutes(-3600, -3000, 70) // 300 after the deploy
  await minutes(-4200, -4140, 90) // 10 before it
  await measuredUntil(0)
  await add(-3600)
  await add(-3000, { service: 'cart' })
  await add(-2400, { kind: 'change', service: 'checkout' })
  await add(-1800)
  // of 90 minutes up to the next deploy 9,000 events, of which 90 may fail
  expect(await cost()).toEqual({
    annotation_id: 1,
    complete: true,
    slo_count: 1,
    slos: [
      {
        slo_id: 1,
        slo_name: 'one',
        unit: 'events',
        next_deploy: { id: 4, version: 'v1800', at: at(-1800) },
        complete: true,
        resolution: '1m',
        after: {
          start_time: at(-3600),
          end_time: at(-1800),
          good: 2700,
          bad: 300,
          budget_percent: expect.closeTo((100 * 300) / 90, 6),
          coverage: 1,
        },
        before: {
          start_time: at(-5400),
          end_time: at(-3600),
          good: 2990,
          bad: 10,
          budget_percent: expect.closeTo((100 * 10) / 90, 6),
          coverage: 1,
        },
      },
    ],
  })
})

test('without a next deploy, or before all is measured, it is not complete', async () => {
  await minutes(-2 * hour, -600, 90)
  await measuredUntil(-600)
  await add(-1800)
  expect((await cost()).slos).toMatchObject([
    { next_deploy: null, complete: false, after: { start_time: at(-1800), end_time: at(-600), bad: 200 } },
  ])
  await add(-300)
  expect(await cost()).toMatchObject({ complete: false, slos: [{ next_deploy: { id: 2 }, after: { bad: 200 } }] })
  await minutes(-600, 0, 90)
  await measuredUntil(0)
  expect(await cost()).toMatchObject({ complete: true, slos: [{ after: { end_time: at(-300), bad: 250 } }] })
})

test('while a backfill may bring earlier samples, the share of the budget is not known', async () => {
  await minutes(-2 * hour, 0, 90)
  await measuredUntil(0)
  await add(-1800)
  await add(-600)
  await setBackfill('waiting')
  expect((await cost()).slos).toMatchObject([{ complete: false, after: { bad: 200, budget_percent: null } }])
})

test('of a deploy that was measured by the hour, the hours from its own to that of the next count', async () => {
  await measured(nines, { sloId: 1, resolution: hour, from: -6 * day, to: -4 * day }, { good: 3500, total: 3600 })
  await measuredUntil(0)
  await add(-5 * day + 1200)
  await add(-5 * day + 3 * hour + 600)
  const [slo] = (await cost()).slos
  const start = Math.floor((startSeconds - 5 * day + 1200) / hour) * hour - startSeconds
  expect(slo).toMatchObject({ resolution: '1h', complete: true, after: { start_time: at(start), bad: 300 } })
  expect(slo.before).toMatchObject({ bad: 300, coverage: 1 })
})

test('a deploy without a next one counts for the length of the window', async () => {
  await measured(
    nines,
    { sloId: 1, resolution: day, from: -60 * day - 10 * hour, to: -10 * hour },
    { good: 90, total: 100 },
  )
  await measuredUntil(0)
  await add(-50 * day)
  const { slos } = await cost()
  expect(slos).toMatchObject([{ next_deploy: null, complete: true }])
  expect(Date.parse(slos[0].after.end_time) - Date.parse(slos[0].after.start_time)).toBe(7 * day * 1000)
})

test('an annotation that matches nothing costs nothing, and one of another organization does not exist', async () => {
  await add(-600, { service: 'other' })
  expect(await cost()).toEqual({ annotation_id: 1, complete: true, slo_count: 0, slos: [] })
  const token = await nines.join('mallory')
  expect((await nines.call('GET', '/api/v1/annotations/1/cost', undefined, { token })).status).toBe(404)
})

test('among many deploys of others the next one is found', async () => {
  await minutes(-2 * hour, 0, 90)
  await measuredUntil(0)
  await add(-3600)
  const [row] = await nines.app.db.read.selectFrom('annotations').selectAll().execute()
  const { id: _, ...deploy } = row ?? (undefined as never)
  const others = Array.from({ length: 1100 }, () => ({ ...deploy, labels: '{"service":"cart"}' }))
  for (const some of [others.slice(0, 550), others.slice(550)]) {
    await nines.app.db.write.insertInto('annotations').values(some).execute()
  }
  await add(-1800)
  expect((await cost()).slos).toMatchObject([{ next_deploy: { version: 'v1800' } }])
})
