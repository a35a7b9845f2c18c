import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'
import { measured } from '../../sli/ledger-fixtures.ts'
import { rulesOf } from '../../support/rules-of.ts'

const hour = 3600
const day = 86_400

let nines: TestApp
let sloId: number
beforeEach(async () => {
  nines = await joinedApp()
  sloId = (await nines.call('POST', '/api/v1/slos', checkout)).body.id
})
afterEach(() => nines.close())

const call = (query: string) => nines.call('GET', `/api/v1/slos/${sloId}/series?${query}`)
const points = async (query: string) => (await call(query)).body.points
const slis = async (query: string) => (await points(query)).map(({ sli }: { sli: number | null }) => sli)

describe('the series of an SLO', () => {
  test('is one point for each step, with the events and the coverage of it', async () => {
    await measured(nines, { sloId, resolution: hour, from: -4 * hour, to: -2 * hour }, { good: 171, total: 180 })
    await measured(nines, { sloId, resolution: 60, from: -2 * hour, to: -hour }, { good: 2, total: 4 })
    const half = { good: 7, total: 8, coveredSeconds: 36 }
    await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, half)
    const { status, body } = await call('period=4h&step=2h')
    expect(status).toBe(200)
    const rest = { resolution_seconds: 7200, revision: 1 }
    expect(body).toEqual({
      slo_id: sloId,
      revision: 1,
      start_time: '2026-11-21T06:00:00.000Z',
      end_time: '2026-11-21T10:00:00.000Z',
      step_seconds: 7200,
      points: [
        { timestamp: '2026-11-21T06:00:00.000Z', sli: 95, coverage: 1, good: 342, total: 360, ...rest },
        { timestamp: '2026-11-21T08:00:00.000Z', sli: 75, coverage: 0.8, good: 540, total: 720, ...rest },
      ],
    })
  })

  test('distinguishes no data, too little of it, and no traffic', async () => {
    await measured(nines, { sloId, resolution: 60, from: -600, to: -400 + 40 }, { good: 9, total: 10 })
    await measured(nines, { sloId, resolution: 60, from: -300, to: 0 }, { good: 0, total: 0 })
    expect(await points('period=15m&step=5m')).toMatchObject([
      { sli: null, coverage: 0, total: 0 },
      { sli: 90, coverage: 0.8, total: 40 },
      { sli: null, coverage: 1, total: 0 },
    ])
    expect(await points('period=10m&step=10m')).toMatchObject([{ sli: 90, coverage: 0.9 }])
    expect(await points('period=1h&step=1h')).toMatchObject([{ sli: null, coverage: 0.15, good: 36, total: 40 }])
  })

  test('ends with the last whole step, and is of a day in 24 points unless asked otherwise', async () => {
    nines.clock.advance(59 * 60_000)
    const { body } = await call('')
    expect(body).toMatchObject({ start_time: '2026-11-20T10:00:00.000Z', end_time: '2026-11-21T10:00:00.000Z' })
    expect([body.points.length, body.step_seconds]).toEqual([24, hour])
  })

  test('takes times with a zone, each moved back to a whole step', async () => {
    const { body } = await call('start=2026-11-20T01:17:00%2B01:00&end=2026-11-20T05:59:59Z&step=90m')
    expect(body).toMatchObject({ start_time: '2026-11-20T00:00:00.000Z', end_time: '2026-11-20T04:30:00.000Z' })
    expect(body.points).toHaveLength(3)
  })

  test('shows the hour around a step whose minutes are no longer kept, and the day around one whose hours are not', async () => {
    await measured(nines, { sloId, resolution: hour, from: -10 * day, to: -10 * day + hour }, { good: 90, total: 120 })
    const midnight = -60 * day - 10 * hour
    await measured(nines, { sloId, resolution: day, from: midnight, to: midnight + day }, { good: 960, total: 2400 })
    expect(await points('start=2026-11-11T10:00:00Z&end=2026-11-11T10:45:00Z&step=15m')).toMatchObject(
      Array.from({ length: 3 }, () => ({ sli: 75, coverage: 1, good: 22.5, total: 30, resolution_seconds: hour })),
    )
    expect(await points('start=2026-09-22T06:00:00Z&end=2026-09-22T12:00:00Z&step=6h')).toMatchObject([
      { sli: 40, coverage: 1, good: 240, total: 600, resolution_seconds: day },
    ])
  })

  test('has its longest steps made of the days kept', async () => {
    const midnight = -40 * day - 10 * hour
    await measured(nines, { sloId, resolution: day, from: midnight, to: midnight + day }, { good: 300, total: 400 })
    await measured(
      nines,
      { sloId, resolution: day, from: midnight + day, to: midnight + 2 * day },
      { good: 50, total: 100 },
    )
    expect(await slis('start=2026-10-12T00:00:00Z&end=2026-10-14T00:00:00Z&step=1d')).toEqual([75, 50])
    const two = await points('start=2026-10-12T00:00:00Z&end=2026-10-14T00:00:00Z&step=2d')
    expect(two.map(({ sli, total }: { sli: number; total: number }) => [sli, total])).toEqual([[70, 500]])
  })
})

describe('after a query was edited', () => {
  const step = async (from: number, revision: number, good: number) =>
    measured(nines, { sloId, revision, resolution: hour, from, to: from + hour }, { good, total: 100 })
  beforeEach(async () => {
    nines.clock.advance(30 * 60_000)
    const edited = await nines.call('PUT', `/api/v1/slos/${sloId}`, {
      metric_query: 'sum(rate(b[5m])) / sum(rate(c[5m]))',
    })
    expect(edited.status).toBe(200)
    nines.clock.advance(90 * 60_000)
  })

  test('the time before shows what was measured then, marked by its revision; the step of the edit is of the new one', async () => {
    for (const [revision, good] of [
      [1, 80],
      [2, 60],
    ] as const) {
      for (const from of [-hour, 0, hour]) await step(from, revision, good + from / hour)
    }
    const { body } = await call('period=3h&step=1h')
    expect(body.revision).toBe(2)
    expect(body.points).toMatchObject([
      { timestamp: '2026-11-21T09:00:00.000Z', sli: 79, revision: 1 },
      { timestamp: '2026-11-21T10:00:00.000Z', sli: 60, revision: 2 },
      { timestamp: '2026-11-21T11:00:00.000Z', sli: 61, revision: 2 },
    ])
  })

  test('the past that only the new query could tell is shown as measured by it', async () => {
    await step(-2 * hour, 2, 55)
    await step(-hour, 1, 0)
    await step(-hour, 2, 66)
    expect(await points('start=2026-11-21T07:00:00Z&end=2026-11-21T10:00:00Z&step=1h')).toMatchObject([
      { sli: null, coverage: 0, revision: 1 },
      { sli: 55, revision: 2 },
      { sli: 0, revision: 1 },
    ])
  })
})

describe('a request for a series is refused that', () => {
  test.each([
    ['period=soon', /^period: must be a duration in whole minutes/],
    ['period=0h', /^period: /],
    ['period=90s&step=1m', /^period: /],
    ['step=30s', /^step: must be a duration in whole minutes/],
    ['step=-5m', /^step: /],
    ['period=7d&step=10m', /^step: must give at most 1000 points, not 1008$/],
    ['period=59m&step=1h', /^period: must have at least one step/],
    ['period=99999d&step=365d', /^period: must be a time after 1970$/],
    ['period=1d&end=2026-11-20T00:00:00Z', /^period: cannot be sent with start or end$/],
    ['end=2026-11-20T00:00:00Z', /^start: is required with end$/],
    ['start=2026-11-20T00:00:00', /^start: must be an ISO 8601 time with a zone$/],
    [
      'start=2026-11-20T00:00:00Z&end=2026-11-19T00:00:00Z&step=1h',
      /^start: must have at least one step before the end$/,
    ],
    ['start=1960-01-01T00:00:00Z&step=90d', /^start: must be a time after 1970$/],
    ['start=2026-11-20T00:00:00Z&end=2026-11-21T10:01:00Z', /^end: must be a time that is not in the future$/],
  ])('%s', async (query, details) => {
    const { status, body } = await call(query)
    expect([status, body.error]).toEqual([400, 'Invalid request'])
    expect(rulesOf(body)).toMatch(details)
  })

  test('of 1,000 points is answered', async () => {
    expect(await points('period=1000h&step=1h')).toHaveLength(1000)
  })
})
