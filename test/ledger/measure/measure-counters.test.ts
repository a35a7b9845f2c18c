import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { measureCounters } from '../../../src/ledger/measure/measure-counters.ts'
import { scriptedSource } from '../../support/scripted-source.ts'
import { plan } from '../../sli/planned.ts'

const bad = 'bad_total'
const all = 'all_total'

function counters(metricQuery: string) {
  const planned = plan(metricQuery).counters
  if (!planned) throw new Error(`no counters in ${metricQuery}`)
  return planned
}

const usual = counters(`1 - sum(rate(${bad}[5m])) / sum(rate(${all}[5m]))`)

/** What the counters do in three minutes; each of `there` begins a minute before. */
type World = Partial<Record<'gain' | 'lead' | 'there' | 'whole' | 'across' | 'leadAcross' | 'again', (number | null)[]>>

/** As a source counts it: the one series, where it was there at one end of the minute and is not whole. */
function brokenIn({ there = [], whole = [] }: World): (number | null)[] {
  return whole.map((count, at) => Math.max(there[at] ?? 0, there[at + 1] ?? 0) - (count ?? 0) || null)
}

/** Asks for the three minutes from 0 on of counters that do this, the bad ones and all. */
async function measure(ofBad: World, ofAll: World) {
  const scriptOf = (name: string, world: World) =>
    [
      [`clamp_min(${name}{} - last_over_time`, world.across],
      [`clamp_min(min_over_time(${name}{}[60s]) - last_over_time`, world.leadAcross],
      [`(${name}{} < ${name}{} offset`, world.again],
      [`clamp_min(${name}{} - ${name}{} offset`, world.gain],
      [`min_over_time(${name}{}`, world.lead],
      [`count ((${name}{} or ${name}{} offset 60s) unless (${name}{} >= ${name}{} offset 60s))`, brokenIn(world)],
    ].map(([key, values]) => [key, values ?? []] as [string, (number | null)[]])
  const source = scriptedSource([...scriptOf(bad, ofBad), ...scriptOf(all, ofAll)])
  const span = { resolution: 60, startSeconds: 0, endSeconds: 180 } as const
  const measured = (await measureCounters(source, [{ sloId: 1, counters: usual }], span)).get(1)
  if (!measured || 'error' in measured) throw new Error('not measured')
  return { ...measured, asked: source.asked }
}

const steady = { gain: [60, 60, 60], lead: [15, 15, 15], there: [1, 1, 1, 1], whole: [1, 1, 1] }
const clean = { gain: [0, 0, 0], lead: [0, 0, 0], there: [1, 1, 1, 1], whole: [1, 1, 1] }
const full = { total: 60, coveredSeconds: 60, leadGood: 15, leadTotal: 15 }

test('a minute is what the counters gained, and its lead what its first sample brought', async () => {
  const { buckets, unsureFrom, asked } = await measure({ ...clean, gain: [0, 6, 0], lead: [0, 2, 0] }, steady)
  expect(buckets).toEqual([
    { ...full, startSeconds: 0, good: 60 },
    { ...full, startSeconds: 60, good: 54, leadGood: 13 },
    { ...full, startSeconds: 120, good: 60 },
  ])
  expect(unsureFrom).toBeNull()
  expect(asked).toHaveLength(6)
})

test('without a bad series nothing was bad, and nothing is unsure', async () => {
  const { buckets, unsureFrom } = await measure({}, steady)
  expect(buckets.map(({ good }) => good)).toEqual([60, 60, 60])
  expect(unsureFrom).toBeNull()
})

test('without any series a minute is not covered', async () => {
  const { buckets } = await measure({}, {})
  expect(buckets).toEqual(
    [0, 60, 120].map((startSeconds) => ({
      startSeconds,
      good: 0,
      total: 0,
      coveredSeconds: 0,
      leadGood: 0,
      leadTotal: 0,
    })),
  )
})

test('a counter that comes back brings what it counted in between, all of it as lead', async () => {
  const away = { gain: [null, null, 60], lead: [null, null, 15], there: [0, 0, 1, 1], whole: [0, 0, 1] }
  const { buckets, unsureFrom } = await measure(
    { ...away, gain: [null, null, 0], across: [30], leadAcross: [30] },
    { ...away, across: [600], leadAcross: [600] },
  )
  expect(buckets[0]?.coveredSeconds).toBe(0)
  expect(buckets[1]).toEqual({
    startSeconds: 60,
    good: 570,
    total: 600,
    coveredSeconds: 60,
    leadGood: 570,
    leadTotal: 600,
  })
  expect(buckets[2]).toMatchObject({ good: 60, total: 60 })
  expect(unsureFrom).toBe(60)
})

test('one that begins again brings what it has counted since', async () => {
  const restarted = { ...steady, whole: [1, 0, 1], gain: [60, 0, 60] }
  const { buckets, unsureFrom } = await measure(clean, { ...restarted, across: [0], leadAcross: [0], again: [7] })
  expect(buckets.map(({ total }) => total)).toEqual([60, 7, 60])
  expect(unsureFrom).toBe(60)
})

test('the last value of a counter that went unseen is no data', async () => {
  const { buckets } = await measure(
    {},
    { gain: [60, 0, null], lead: [15, null, null], there: [1, 1, 1, 0], whole: [1, 1, 0] },
  )
  expect(buckets.map(({ coveredSeconds }) => coveredSeconds)).toEqual([60, 0, 0])
})

test('a minute without a new sample is covered while the counter is there', async () => {
  const { buckets } = await measure(clean, { ...steady, gain: [60, 0, 60], lead: [15, null, 15] })
  expect(buckets.map(({ coveredSeconds }) => coveredSeconds)).toEqual([60, 60, 60])
})

test('a part of a side that has to be there and is not leaves the minute uncovered', async () => {
  const span = { resolution: 60, startSeconds: 0, endSeconds: 60 } as const
  const values: [string, number[]][] = [['present_total', [5]]]
  const measureOne = async (metricQuery: string) => {
    const asked = [{ sloId: 1, counters: counters(metricQuery) }]
    const measured = (await measureCounters(scriptedSource(values), asked, span)).get(1)
    return measured && 'buckets' in measured ? measured.buckets[0]?.coveredSeconds : undefined
  }
  const good = 'sum(rate(present_total[5m]))'
  expect(await measureOne(`${good} / (${good} + sum(rate(absent_total[5m])))`)).toBe(0)
  expect(await measureOne(`${good} / (${good} + (sum(rate(absent_total[5m])) or vector(0)))`)).toBe(60)
})

test('what the source refuses is an error of the SLO that asks it, and of no other', async () => {
  const refused = new AppError('source_refused', 'too many samples')
  const source = scriptedSource([
    ['heavy_total', refused],
    ['all_total', [60]],
  ])
  const other = counters('sum(rate(heavy_total[5m])) / sum(rate(heavy_total[5m]))')
  const span = { resolution: 60, startSeconds: 0, endSeconds: 60 } as const
  const measured = await measureCounters(
    source,
    [
      { sloId: 1, counters: usual },
      { sloId: 2, counters: other },
    ],
    span,
  )
  expect(measured.get(1)).toMatchObject({ buckets: [{ coveredSeconds: 60 }] })
  expect(measured.get(2)).toEqual({ error: refused })
})

test('an hour is what increase says of it, and covers what has data', async () => {
  const source = scriptedSource([
    [`increase(${bad}`, [36, 0]],
    [`increase(${all}`, [3600, 1800]],
    ['count_over_time', [3600, 1860]],
  ])
  const span = { resolution: 3600, startSeconds: 0, endSeconds: 7200 } as const
  const measured = (await measureCounters(source, [{ sloId: 1, counters: usual }], span)).get(1)
  expect(measured).toMatchObject({
    buckets: [
      { startSeconds: 0, good: 3564, total: 3600, coveredSeconds: 3600, leadTotal: 0 },
      { startSeconds: 3600, good: 1800, total: 1800, coveredSeconds: 1860 },
    ],
  })
})
