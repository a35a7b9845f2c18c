import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { type TestApp, testApp } from '../support/app.ts'

const env = { SOURCE_URL: 'embedded' }
const minuteMs = 60_000
const boundaryMs = Date.UTC(2026, 10, 30) // a Monday
const firstMs = boundaryMs - 5 * 1440 * minuteMs
const minutes = 5 * 1440 + 30

/** A site and its requests that fail for the last half day of the week, up to a minute before its end. */
const isFailing = (n: number) => n >= 4.5 * 1440 && n < 5 * 1440 - 1

type Kind = 'checks' | 'requests' | 'share' | 'weighted' | 'worst'

let nines: TestApp
const ids: Record<Kind, number> = { checks: 0, requests: 0, share: 0, weighted: 0, worst: 0 }
beforeAll(async () => {
  nines = await testApp({ env, startMs: boundaryMs - 2 * minuteMs })
  await nines.join('ada')
  let failures = 0
  const samples = Array.from({ length: minutes }, (_, n) => {
    failures += isFailing(n) ? 100 : 0
    return { at: firstMs / 1000 + 60 * n + 7, up: isFailing(n) ? 0 : 1, failures, requests: 100 * n }
  })
  const lines = [
    '# TYPE up gauge\n',
    ...samples.map(({ at, up }) => `up ${up} ${at}\n`),
    '# TYPE share gauge\n',
    ...samples.map(({ at }, n) => `share ${n >= 4 * 1440 ? 0.75 : 1} ${at}\n`),
    '# TYPE failures counter\n',
    ...samples.map(({ at, failures: total }) => `failures_total ${total} ${at}\n`),
    '# TYPE requests counter\n',
    ...samples.map(({ at, requests }) => `requests_total ${requests} ${at}\n`),
    '# EOF\n',
  ]
  const { app } = nines
  const chunks = new Blob(lines).stream()
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs: 40 * 1440 * minuteMs })
  const week = { target: 90, metric_type: 'availability', time_window: 'week', time_zone: 'UTC' }
  const queries = { bad_query: 'sum(rate(failures_total[5m]))', total_query: 'sum(rate(requests_total[5m]))' }
  ids.checks = (await nines.call('POST', '/api/v1/slos', { ...week, name: 'Checks', metric_query: 'up' })).body.id
  ids.requests = (await nines.call('POST', '/api/v1/slos', { ...week, name: 'Requests', ...queries })).body.id
  ids.share = (await nines.call('POST', '/api/v1/slos', { ...week, name: 'Share', metric_query: 'share' })).body.id
  const members = [
    { slo_id: ids.checks, weight: 1 },
    { slo_id: ids.share, weight: 3 },
  ]
  const composites = { weighted: members, worst: members.map(({ slo_id }) => ({ slo_id })) }
  for (const method of ['weighted', 'worst'] as const) {
    const composite = { method, members: composites[method] }
    ids[method] = (await nines.call('POST', '/api/v1/slos', { ...week, name: method, composite })).body.id
  }
  await nines.app.backfills.run()
}, 60_000)
afterAll(() => nines?.close())

async function evaluatedAt(sinceBoundaryMinutes: number) {
  nines.clock.advance(boundaryMs + sinceBoundaryMinutes * minuteMs + 5000 - nines.clock.now())
  await nines.app.evaluator.evaluateAll()
  return Promise.all(
    (['checks', 'requests'] as const).map(async (kind) => {
      const { body } = await nines.call('GET', `/api/v1/slos/${ids[kind]}/budget`)
      const { percentage_used: used, window_percent_used: ofWeek } = body.error_budget
      return { starts: body.period.starts_at, sli: body.sli, used, ofWeek }
    }),
  )
}

test('a budget is that of the old week up to its end, and of the new one a minute later', async () => {
  const failed = 0.5 * 1440 - 1
  for (const beforeEnd of [1, 0]) {
    const elapsed = 5 * 1440 - beforeEnd
    for (const week of await evaluatedAt(-beforeEnd)) {
      expect(week.starts).toBe('2026-11-23T00:00:00.000Z')
      expect(week.sli).toBeCloseTo(100 - (100 * failed) / elapsed, 1)
      expect(week.ofWeek).toBeCloseTo((1000 * failed) / (7 * 1440), 0)
    }
  }
  for (const after of [3, 4, 20]) {
    for (const week of await evaluatedAt(after)) {
      expect(week).toEqual({ starts: '2026-11-30T00:00:00.000Z', sli: 100, used: 0, ofWeek: 0 })
    }
  }
})

test('a threshold of the budget that was passed is not passed any more in the new week', async () => {
  const { body } = await nines.call('GET', `/api/v1/notifications/alerts?state=all&slo_id=${ids.checks}`)
  const thresholds = body.alerts.filter(({ name }: { name: string }) => name.startsWith('budget'))
  expect(thresholds.map(({ ended_at }: { ended_at: string | null }) => ended_at !== null)).toEqual([true])
})

describe('a period that has ended', () => {
  const periodsOf = async (kind: Kind) => (await nines.call('GET', `/api/v1/slos/${ids[kind]}/periods`)).body.periods
  const failed = 0.5 * 1440 - 1
  const sli = 100 - (100 * failed) / (5 * 1440)

  test('is stored a quarter of an hour after its end, with its figures and the definition that held', async () => {
    // a source extrapolates the increase of a counter that begins within the period
    for (const [kind, digits] of [
      ['checks', 6],
      ['requests', 2],
    ] as const) {
      expect(await periodsOf(kind)).toEqual([
        {
          starts_at: '2026-11-23T00:00:00.000Z',
          ends_at: '2026-11-30T00:00:00.000Z',
          time_window: 'week',
          time_zone: 'UTC',
          target: 90,
          revision: 1,
          sli: expect.closeTo(sli, digits),
          met: true,
          percentage_used: expect.closeTo(10 * (100 - sli), digits - 1),
          events: kind === 'checks' ? null : { good: expect.any(Number), total: expect.any(Number) },
          excluded: null,
          note: null,
          frozen_at: '2026-11-30T00:20:05.000Z',
          recomputed_at: null,
        },
      ])
    }
  })

  test('of a composite is that of its members, by its method', async () => {
    const [checks, share, weighted, worst] = await Promise.all(
      (['checks', 'share', 'weighted', 'worst'] as const).map(async (kind) => (await periodsOf(kind))[0]),
    )
    expect(share.sli).toBeCloseTo(95, 6)
    const week = { starts_at: checks.starts_at, ends_at: checks.ends_at, target: 90, met: true, events: null }
    expect([weighted, worst]).toMatchObject([week, week])
    expect(weighted.sli).toBeCloseTo((checks.sli + 3 * share.sli) / 4, 9)
    expect(worst.sli).toBeCloseTo(checks.sli, 9)
    const again = await nines.call('POST', `/api/v1/slos/${ids.weighted}/periods/${week.starts_at}/recompute`)
    expect([again.status, again.body.error]).toEqual([409, 'The period of a composite cannot be recomputed'])
    expect(weighted.percentage_used).toBeCloseTo(10 * (100 - weighted.sli), 9)
  })

  test('is the same whatever is changed, and is not stored twice', async () => {
    const kinds = ['checks', 'weighted', 'worst'] as const
    const before = await Promise.all(kinds.map(periodsOf))
    for (const kind of kinds) await nines.call('PUT', `/api/v1/slos/${ids[kind]}`, { target: 50 })
    await evaluatedAt(22)
    expect(await Promise.all(kinds.map(periodsOf))).toEqual(before)
  })

  test('while nines was off is the same as without, of another SLO too that is made later in the next period', async () => {
    const kinds = ['checks', 'weighted', 'worst'] as const
    const before = await Promise.all(kinds.map(periodsOf))
    const { body } = await nines.call('POST', '/api/v1/slos', {
      name: 'Later',
      target: 90,
      metric_type: 'availability',
      metric_query: 'up',
      time_window: 'week',
      time_zone: 'UTC',
    })
    await nines.app.backfills.run()
    await nines.app.db.write.deleteFrom('slo_periods').execute()
    const { dataDir, clock } = nines
    const token = nines.token()
    await nines.app.close()
    nines = await testApp({ env, dataDir, token, startMs: clock.now() })
    await nines.app.samples.whenFilled()
    await evaluatedAt(25)
    for (const [at, kind] of kinds.entries()) {
      const [again] = await periodsOf(kind)
      expect(again).toEqual({
        ...before[at][0],
        target: 50,
        percentage_used: expect.any(Number),
        frozen_at: expect.any(String),
      })
    }
    expect((await nines.call('GET', `/api/v1/slos/${body.id}/periods`)).body.periods).toEqual([])
  })
})
