import { expect, test } from 'bun:test'
import type { SloRow } from '../../../src/db/tables/tables.ts'
import { AppError } from '../../../src/errors.ts'
import { measureOther } from '../../../src/ledger/measure/measure-other.ts'
import type { Bucket, Span } from '../../../src/ledger/bucket.ts'
import type { Definition } from '../../../src/slos/definition.ts'
import { type ScriptedSource, scriptedSource } from '../../support/scripted-source.ts'
import { plan } from '../../sli/planned.ts'

const minutes: Span = { resolution: 60, startSeconds: 0, endSeconds: 180 }
const hour: Span = { resolution: 3600, startSeconds: 0, endSeconds: 3600 }
const undecided = { query_unit: 'auto', inferred_unit: null } as SloRow

async function measure(
  source: ScriptedSource,
  definition: string | Partial<Definition>,
  { span = minutes, slo = undecided } = {},
): Promise<Bucket[]> {
  const measured = await measureOther(source, { slo, plan: plan(definition) }, span)
  if ('error' in measured) throw measured.error
  return measured.buckets
}

const shares = (buckets: Bucket[]) =>
  buckets.map(({ good, total, coveredSeconds }) => (coveredSeconds === 0 ? null : [good, total]))

test('a comparison covers the minutes in which it could be made, and those are good in which it held', async () => {
  const source = scriptedSource([['latency', [1, null, 0]]])
  expect(shares(await measure(source, 'latency <= 0.3'))).toEqual([[60, 60], null, [0, 60]])
  expect(source.asked).toEqual([expect.stringContaining('<= bool')])
})

test('a threshold is as good as a comparison', async () => {
  const source = scriptedSource([['latency', [1, 1, 0]]])
  const definition = { metric_query: 'latency', threshold: 0.3, threshold_op: 'lte' } as const
  expect(shares(await measure(source, definition))).toEqual([
    [60, 60],
    [60, 60],
    [0, 60],
  ])
})

test('a ratio weighs the time it stands for, and is asked for as it is stored', async () => {
  const source = scriptedSource([['rule:ratio', [0.5, 1.02, 7]]])
  const buckets = await measure(source, 'rule:ratio', { slo: { ...undecided, query_unit: 'ratio' } as SloRow })
  expect(shares(buckets)).toEqual([[30, 60], [60, 60], null]) // a little above 1 is 1, 7 is no SLI
  expect(source.asked).toEqual(['rule:ratio'])
})

test('a scalar is made a vector: a source looks over no other with a subquery', async () => {
  const source = scriptedSource([
    ['count_over_time', [60]],
    ['rule', [0.75]],
  ])
  expect(
    shares(
      await measure(source, '1 * scalar(rule:ratio)', {
        span: hour,
        slo: { ...undecided, query_unit: 'ratio' } as SloRow,
      }),
    ),
  ).toEqual([[2700, 3600]])
  for (const asked of source.asked) expect(asked).toContain('(vector(1 * scalar(rule:ratio)\n)')
})

test('a percentage is read as one', async () => {
  const source = scriptedSource([['rule', [50, 100, 0.5]]])
  expect(shares(await measure(source, '100 * rule:ratio'))).toEqual([
    [30, 60],
    [60, 60],
    [0.3, 60],
  ])
})

test('what may be a ratio or a percentage is not stored before that is inferred', async () => {
  const source = scriptedSource([['rule', [0.5, 0, 1]]])
  expect(shares(await measure(source, 'rule:ratio'))).toEqual([null, [0, 60], null])
  const settled = { ...undecided, inferred_unit: 'percent' } as SloRow
  expect(shares(await measure(source, 'rule:ratio', { slo: settled }))[0]).toEqual([0.3, 60])
})

test('sides that count events in another way than counters do are spread over five minutes', async () => {
  const source = scriptedSource([
    ['ok', [40, 30, null]],
    ['every', [50, 50, null]],
  ])
  const buckets = await measure(source, 'sum(count_over_time(ok[1m])) / sum(count_over_time(every[1m]))')
  expect(shares(buckets)).toEqual([[8, 10], [6, 10], null])
  expect(source.asked).toEqual(['sum(count_over_time(ok[300s]))', 'sum(count_over_time(every[300s]))'])
})

test('an hour is the mean over its minutes, and covers those that have a value', async () => {
  const source = scriptedSource([
    ['avg_over_time', [0.75]],
    ['count_over_time', [40]],
  ])
  expect(await measure(source, 'latency <= 0.3', { span: hour })).toEqual([
    { startSeconds: 0, good: 1800, total: 2400, coveredSeconds: 2400, leadGood: 0, leadTotal: 0 },
  ])
})

test('an hour is that of its minutes with a number: one 0/0 does not make it none', async () => {
  const source = scriptedSource([])
  await measure(source, 'rule:ratio # a remark', { span: hour })
  const moments = '(((rule:ratio # a remark\n) < Inf)[3600s:60s])'
  expect(source.asked).toEqual([`avg_over_time${moments}`, `count_over_time${moments}`])
})

test('of several series that are there for unlike times, whole seconds are covered', async () => {
  const source = scriptedSource([
    ['avg_over_time', [1]],
    ['count_over_time', [419 / 7]],
  ])
  const [bucket] = await measure(source, 'latency <= 0.3', { span: hour })
  expect(bucket?.coveredSeconds).toBe(3591)
})

test.each(['source_refused', 'source_unavailable'] as const)('%s is an error of this SLO', async (kind) => {
  const error = new AppError(kind, 'no')
  const measured = await measureOther(
    scriptedSource([['rule', error]]),
    { slo: undecided, plan: plan('rule') },
    minutes,
  )
  expect(measured).toEqual({ error })
})
