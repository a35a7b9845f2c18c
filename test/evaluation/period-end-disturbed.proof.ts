import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { type TestApp, testApp } from '../support/app.ts'

const env = { SOURCE_URL: 'embedded' }
const minuteMs = 60_000
const endMs = Date.UTC(2026, 11, 1)
const dayMinutes = 1440
const keepMs = 40 * dayMinutes * minuteMs

/** A site that fails for six hours of the last day of November, and for its last ten minutes; by minutes since the end. */
const isFailing = (n: number) => (n >= -720 && n < -360) || (n >= -10 && n < 0)
const failedMinutes = 370

/** Data folder of an appliance half an hour before the end of the month, with its SLOs filled. */
let filled: { dataDir: string; token: string | null }
let nines: TestApp
beforeAll(async () => {
  nines = await testApp({ env, startMs: endMs - 30 * minuteMs })
  await nines.join('ada')
  await importMinutes(-2 * dayMinutes, -30)
  const month = { target: 90, metric_type: 'availability', time_window: 'month', time_zone: 'UTC' }
  const queries = { bad_query: 'sum(rate(failures_total[5m]))', total_query: 'sum(rate(requests_total[5m]))' }
  await nines.call('POST', '/api/v1/slos', { ...month, name: 'Checks', metric_query: 'up' })
  await nines.call('POST', '/api/v1/slos', { ...month, name: 'Requests', ...queries })
  await nines.app.backfills.run()
  filled = { dataDir: copyOf(nines.dataDir), token: nines.token() }
  await nines.close()
})
beforeEach(async () => {
  await openAgain(copyOf(filled.dataDir), filled.token, endMs - 30 * minuteMs)
})
afterEach(() => nines.close())

/** Copies a data folder as a kill leaves it. */
function copyOf(dataDir: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'nines-copy-')), 'data')
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

async function openAgain(dataDir: string, token: string | null, startMs: number): Promise<void> {
  nines = await testApp({ env, dataDir, token, startMs })
  await nines.app.samples.whenFilled()
}

const failuresBefore = (n: number) => 100 * (Math.max(0, Math.min(n, -360) + 720) + Math.max(0, Math.min(n, 0) + 10))

/** Imports the samples of minutes `from` to `to`, counted from the end of the month. */
async function importMinutes(from: number, to: number): Promise<void> {
  const minutes = Array.from({ length: to - from }, (_, at) => ({
    n: from + at,
    at: endMs / 1000 + 60 * (from + at) + 7,
  }))
  const lines = [
    '# TYPE up gauge\n',
    ...minutes.map(({ n, at }) => `up ${isFailing(n) ? 0 : 1} ${at}\n`),
    '# TYPE failures counter\n',
    ...minutes.map(({ n, at }) => `failures_total ${failuresBefore(n + 1)} ${at}\n`),
    '# TYPE requests counter\n',
    ...minutes.map(({ n, at }) => `requests_total ${100 * (n + 2 * dayMinutes)} ${at}\n`),
    '# EOF\n',
  ]
  const { samples: store, clock } = nines.app
  await importSamples({ store, clock, organizationId: 1, chunks: new Blob(lines).stream(), keepMs })
}

/** Moves the clock to so many minutes after the end; the samples of each minute arrive, and it is evaluated. */
async function runUntil(minutes: number): Promise<void> {
  const { clock, app } = nines
  for (let n = Math.floor((clock.now() - endMs) / minuteMs) + 1; n <= minutes; n += 1) {
    clock.advance(endMs + n * minuteMs + 5000 - clock.now())
    await importMinutes(n - 1, n)
    await app.evaluator.evaluateAll()
  }
}

async function periodsOf(id: number) {
  return (await nines.call('GET', `/api/v1/slos/${id}/periods`)).body.periods
}

const sli = 100 - (100 * failedMinutes) / (2 * dayMinutes)
const [checks, requests] = [1, 2]
/** November with the SLI of its true failures; a source extrapolates the increase of a counter that begins within the period. */
const november = (digits: number) => [
  { starts_at: '2026-11-01T00:00:00.000Z', ends_at: '2026-12-01T00:00:00.000Z', sli: expect.closeTo(sli, digits) },
]

describe('a month is frozen with what was measured in it', () => {
  test.each([-20, -1, 0, 1, 14, 15, 16, 30])('if nines is killed %d minutes after its end', async (minutes) => {
    await runUntil(minutes)
    const [dataDir, startMs, token] = [copyOf(nines.dataDir), nines.clock.now(), nines.token()]
    await nines.close()
    await openAgain(dataDir, token, startMs)
    await runUntil(40)
    expect(await periodsOf(checks)).toMatchObject(november(6))
    expect(await periodsOf(requests)).toMatchObject(november(1))
  })

  /** Sets the clock by so many minutes, and back a minute later. */
  async function setFor(byMinutes: number): Promise<void> {
    const { clock, app } = nines
    clock.jump(byMinutes * minuteMs)
    for (let round = 0; round < 2; round += 1) {
      app.evaluator.tick()
      await app.evaluator.evaluateAll()
      clock.advance(minuteMs / 2)
    }
    clock.jump(-byMinutes * minuteMs)
    app.evaluator.tick()
  }

  test.each([
    [-5, -60],
    [5, 60],
    [5, -60],
    [14, -20],
    [16, -20],
    [20, -3 * dayMinutes],
  ])('if %d minutes after its end the clock is set by %d minutes for a minute', async (minutes, byMinutes) => {
    await runUntil(minutes)
    await setFor(byMinutes)
    await importMinutes(minutes, minutes + 1)
    await runUntil(40)
    expect(await periodsOf(checks)).toMatchObject(november(6))
    expect(await periodsOf(requests)).toMatchObject(november(1))
  })

  test.each([
    [-20, 60],
    [-20, 3 * dayMinutes],
    [-2, 60],
  ])('if %d minutes after its end the clock is ahead by %d minutes for a minute', async (minutes, byMinutes) => {
    await runUntil(minutes)
    await setFor(byMinutes)
    expect([await periodsOf(checks), await periodsOf(requests)]).toEqual([[], []])
    await importMinutes(minutes, minutes + 1)
    await runUntil(14)
    expect([await periodsOf(checks), await periodsOf(requests)]).toEqual([[], []])
    await runUntil(40)
    expect(await periodsOf(checks)).toMatchObject(november(6))
    expect(await periodsOf(requests)).toMatchObject(november(1))
  })

  test('if the clock is ahead at a start, and set back after the next one', async () => {
    await runUntil(-20)
    const [dataDir, token] = [nines.dataDir, nines.token()]
    const startAgain = async (aheadMinutes: number) => {
      const startMs = nines.clock.now() + aheadMinutes * minuteMs
      await nines.app.close()
      await openAgain(dataDir, token, startMs)
      await nines.app.evaluator.evaluateAll()
    }
    await startAgain(60)
    await startAgain(-60)
    await runUntil(40)
    expect(await periodsOf(checks)).toMatchObject(november(6))
    expect(await periodsOf(requests)).toMatchObject(november(1))
  })
})

test('hours and days that were stored while the clock was days ahead are stored again as they end', async () => {
  await runUntil(-20)
  const { app, clock } = nines
  clock.jump(3 * dayMinutes * minuteMs)
  app.evaluator.tick()
  for (let round = 0; round < 5; round += 1) await app.evaluator.evaluateAll()
  clock.jump(-3 * dayMinutes * minuteMs)
  app.evaluator.tick()
  const storedHours = () =>
    app.db.read.selectFrom('buckets').select(['start', 'covered_seconds as covered']).where('slo_id', '=', checks)
  const after = storedHours()
    .where('resolution', '=', 3600)
    .where('start', '>=', endMs / 1000 - 3600)
  expect((await after.execute()).length).toBeGreaterThan(10)
  for (let minutes = 0; minutes <= 2 * dayMinutes; minutes += 30) {
    clock.advance(endMs + minutes * minuteMs + 5000 - clock.now())
    await importMinutes(minutes === 0 ? -20 : minutes - 30, minutes)
    await app.evaluator.evaluateAll()
  }
  const hours = await after.where('start', '<', clock.now() / 1000 - 2 * 3600).execute()
  expect(hours.length).toBeGreaterThan(40)
  expect(hours.filter(({ covered }) => covered !== 3600)).toEqual([])
  const days = storedHours()
    .where('resolution', '=', 86_400)
    .where('start', '>=', endMs / 1000 - 86_400)
  const ended = await days.where('start', '<', clock.now() / 1000 - 2 * 86_400 + 1).execute()
  expect(ended.map(({ covered }) => covered)).toEqual([86_400, 86_400])
})
