import { expect, test } from 'bun:test'
import { calculator, twoSided } from '../support/calculator.ts'
import type { FakeReply } from '../support/fake-source.ts'

const on = calculator()
const bad = '1 - sum(rate(bad[5m])) / sum(rate(all[5m]))'

/**
 * Sets the sums of each side and the reply of the whole expression. A query of both sides returns the sides that have a value.
 */
const sums = (counted: number | null, total: number | null, whole: FakeReply) =>
  on.source.script((expression) => {
    if (expression.startsWith('label_replace')) {
      const of = (side: string, value: number | null) =>
        value === null ? [] : [{ labels: { nines_side: side }, value }]
      return [...of('counted', counted), ...of('total', total)]
    }
    if (expression.includes('/')) return whole
    return expression.includes('(all[') ? total : counted
  })

const askedSince = (before: number) => on.source.expressions().slice(before)

test('sums that have reproduced the whole are asked for in one query, and counted as before', async () => {
  sums(999, 1000, 0.999)
  const first = await on.calculate({ metric_query: twoSided }, '30d')
  const before = on.source.asked.length
  sums(995, 1000, null)
  const { body } = await on.again(1, '30d')
  expect(askedSince(before)).toEqual([
    'label_replace(sum(increase(ok[2592000s])), "nines_side", "counted", "", "") or ' +
      'label_replace(sum(increase(all[2592000s])), "nines_side", "total", "", "")',
  ])
  expect(on.source.asked.at(-1)?.headers.get('accept-encoding')).toBe('identity')
  expect([first.body.current_value, body.current_value, body.query_metrics]).toEqual([
    99.9,
    99.5,
    { good_events: 995, total_events: 1000, window_seconds: 2_592_000 },
  ])
  expect(body.metadata).toEqual(first.body.metadata)
})

test.each([
  [
    'nothing failed',
    null,
    1000,
    null,
    { current_value: 100, query_metrics: { good_events: 1000, total_events: 1000 } },
  ],
  ['there was no traffic', 0, 0, NaN, { current_value: null, status_reason: 'no_traffic' }],
  ['nor was there any before', null, 0, null, { current_value: null, status_reason: 'no_traffic' }],
])('one query is enough where %s', async (_, counted, total, whole, expected) => {
  sums(5, 1000, 0.995)
  await on.calculate({ metric_query: bad }, '30d')
  const before = on.source.asked.length
  sums(counted, total, whole)
  expect((await on.again(1, '30d')).body).toMatchObject(expected)
  expect(askedSince(before)).toHaveLength(1)
})

test('the whole says what it is where the total says nothing', async () => {
  sums(5, 1000, 0.995)
  await on.calculate({ metric_query: bad }, '30d')
  sums(null, null, 0.5)
  expect((await on.again(1, '30d')).body).toMatchObject({ current_value: 50, query_metrics: null })
  sums(Infinity, 1000, { scalar: -Infinity })
  expect((await on.again(1, '30d')).body).toMatchObject({ current_value: null, status_reason: 'not_a_number' })
})

test.each([
  ['were not seen to reproduce the whole', twoSided, 0.5],
  ['have labels', 'sum by (a) (rate(ok[5m])) / sum by (a) (rate(all[5m]))', 0.999],
  ['are not all of it', '(sum(rate(ok[5m])) / sum(rate(all[5m]))) or vector(0)', 0.999],
])('the whole is asked for again where the sides %s', async (_, metric_query, whole) => {
  sums(999, 1000, whole)
  await on.calculate({ metric_query }, '30d')
  const before = on.source.asked.length
  await on.again(1, '30d')
  expect(askedSince(before).filter((expression) => expression.includes('/'))).toHaveLength(1)
})

test('a source that refuses both sides in one query is asked for each, and for an hour for nothing else', async () => {
  sums(999, 1000, 0.999)
  await on.calculate({ metric_query: twoSided }, '30d')
  const { body: other } = await on.nines.call('POST', '/api/v1/slos', {
    name: 'other',
    target: 99.9,
    time_window: '30d',
    metric_type: 'availability',
    metric_query: twoSided,
  })
  await on.again(other.id, '30d')
  on.source.script((expression) => {
    if (expression.startsWith('label_replace')) throw new Error('unknown function label_replace')
    return expression.includes('/') ? 0.995 : expression.includes('(all[') ? 1000 : 995
  })
  const questions = async (id: number) => {
    const before = on.source.asked.length
    const { body } = await on.again(id, '30d')
    expect(body).toMatchObject({ current_value: 99.5, query_metrics: { good_events: 995 } })
    return askedSince(before).length
  }
  expect(await questions(1)).toBe(4)
  expect(await questions(1)).toBe(3)
  expect(await questions(other.id)).toBe(3)
  on.nines.clock.advance(58 * 60_000)
  expect(await questions(1)).toBe(4)
})

test('what is wrong with a query itself is not kept against its source', async () => {
  sums(999, 1000, 0.999)
  await on.calculate({ metric_query: twoSided }, '30d')
  on.source.script(() => {
    throw new Error('too many samples')
  })
  expect((await on.again(1, '30d')).status).toBe(500)
  sums(999, 1000, null)
  const before = on.source.asked.length
  expect((await on.again(1, '30d')).body.current_value).toBe(99.9)
  expect(askedSince(before)).toHaveLength(1)
})

test('an edit is verified again, and details name every part', async () => {
  sums(999, 1000, 0.999)
  await on.calculate({ metric_query: twoSided }, '30d')
  const parts = async (extra: object) => {
    const { body } = await on.again(1, '30d', { include_details: true, ...extra })
    return body.query_executions.map(({ metadata }: { metadata: { part: string } }) => metadata.part)
  }
  expect(await parts({})).toEqual(['sli', 'counted', 'total', 'coverage'])
  await on.nines.call('PUT', '/api/v1/slos/1', { metric_query: bad })
  const before = on.source.asked.length
  await on.again(1, '30d')
  expect(askedSince(before)).toHaveLength(3)
})
