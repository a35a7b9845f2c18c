import { afterEach, beforeEach, expect, test } from 'bun:test'
import { putEvaluations } from '../../../src/evaluation/evaluation-store.ts'
import { rollUpSome } from '../../../src/evaluation/roll-up-store.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { evaluation, failure, testStartSeconds } from '../../support/evaluations.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', checkout)
})
afterEach(() => nines.close())

const at = (seconds: number) => new Date((testStartSeconds + seconds) * 1000).toISOString()
const list = (query = '', token?: string) =>
  nines.call('GET', `/api/v1/slos/1/evaluations${query}`, undefined, token === undefined ? {} : { token })
const store = async (...seconds: number[]) => {
  for (const one of seconds) {
    const atSeconds = testStartSeconds + one
    const found =
      one % 120 === 0 ? evaluation({ atSeconds, windowShare: 0.5 }) : failure({ atSeconds, durationMs: 10_000 })
    await nines.app.db.write.transaction().execute((trx) => putEvaluations(trx, [found]))
  }
}

test('the evaluations of an SLO are listed, newest first, with how long they took and why they failed', async () => {
  await store(0, 60)
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(body).toEqual({
    evaluations: [
      {
        evaluated_at: at(60),
        status: 'unknown',
        reason: 'source_error',
        message: 'metrics source did not answer',
        sli: null,
        percentage_used: null,
        window_percent_used: null,
        revision: 1,
        duration_ms: 10_000,
        count: 1,
        worst_status: 'unknown',
      },
      {
        evaluated_at: at(0),
        status: 'healthy',
        reason: null,
        message: null,
        sli: 99.93,
        percentage_used: 70,
        window_percent_used: 35,
        revision: 1,
        duration_ms: 12,
        count: 1,
        worst_status: 'healthy',
      },
    ],
    total: 2,
    page: 1,
    page_size: 20,
    has_next: false,
  })
})

test('those that failed can be listed alone, and pages follow each other', async () => {
  await store(0, 60, 120, 180)
  const times = async (query: string) =>
    (await list(query)).body.evaluations.map((one: { evaluated_at: string }) => one.evaluated_at)
  expect(await times('?failed=true')).toEqual([at(180), at(60)])
  expect(await times('?page=2&page_size=3')).toEqual([at(0)])
  expect((await list('?failed=perhaps')).body.problems[0].field).toBe('failed')
})

test('one that stands for an hour says how many it stands for', async () => {
  await store(0, 60, 120)
  await rollUpSome(nines.app.db.write, { from: 0, to: 3600 }, testStartSeconds + 3600)
  expect((await list()).body.evaluations).toMatchObject([{ evaluated_at: at(120), count: 3, worst_status: 'unknown' }])
})

test('strangers are answered as for an SLO that does not exist', async () => {
  expect((await list('', await nines.join('eve'))).status).toBe(404)
})
