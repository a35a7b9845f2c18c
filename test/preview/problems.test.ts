import { describe, expect, test } from 'bun:test'
import type { FakeReply } from '../support/fake-source.ts'
import { previewer } from '../support/previewer.ts'

const it = previewer()

/** Problems of an SLO if the source gives this reply to every expression, with exceptions by a part of their text. */
async function problemsWith(slo: object, everywhere: FakeReply, table: Record<string, FakeReply> = {}) {
  it.source.script((expression) => {
    const found = Object.entries(table).find(([key]) => expression.includes(key))
    return found ? found[1] : everywhere
  })
  const { status, body } = await it.preview(slo)
  expect(status).toBe(200)
  return body.problems
}

type SloFields = Record<string, unknown>

const pair = (counted: string): SloFields => ({
  metric_query: null,
  [counted]: 'sum(rate(some[5m]))',
  total_query: 'sum(rate(all[5m]))',
})
const good = (some: number, all: number) => ({ ' / ': some / all, some, all })
const bad = (some: number, all: number) => ({ ' / ': 1 - some / all, some, all })

describe('what is wrong is named with its field, a sentence and a way out:', () => {
  test.each([
    [
      'a quantity',
      { metric_query: 'histogram_quantile(0.9, sum by (le) (rate(req_bucket[5m])))' },
      0.2,
      'metric_query',
      'a quantity, not a ratio',
      'threshold: 0.3 and threshold_op: lte',
    ],
    [
      'a histogram, with its own name in the way out',
      { metric_query: 'histogram_quantile(0.9, sum by (le) (rate(req_bucket[5m])))' },
      0.2,
      'metric_query',
      'a quantity, not a ratio',
      'sum(rate(req_bucket{le="0.3"}[5m])) / sum(rate(req_count[5m]))',
    ],
    ['a rate', { metric_query: 'sum(rate(hits[5m]))' }, 7, 'metric_query', 'a quantity', 'rate(hits{code!~"5.."}[5m])'],
    ['a text', { metric_query: '"up"' }, { text: 'up' }, 'metric_query', 'a string', 'An SLI is one number'],
    [
      'a percentage called a ratio',
      { metric_query: 'availability', query_unit: 'ratio' },
      99.5,
      'query_unit',
      '99.5, which is not between 0 and 1',
      'set query_unit to percent',
    ],
    [
      'a ratio called a percentage',
      { metric_query: 'availability', query_unit: 'percent' },
      0.9995,
      'query_unit',
      'read as 1 %',
      'set query_unit to ratio',
    ],
    [
      'a failing share',
      { metric_query: 'errors_ratio' },
      0.002,
      'metric_query',
      'The SLI is 0.2 %: it looks as if the query counts what fails',
      'write 1 - (…) around it',
    ],
    [
      'several series',
      { metric_query: 'availability' },
      [
        { labels: { pod: 'a' }, value: 0.999 },
        { labels: { pod: 'b' }, value: 0.5 },
      ],
      'metric_query',
      'answers with 2 series; their plain mean',
      'Put sum(…) around both sides',
    ],
    ['a target of 100', { metric_query: 'availability', target: 100 }, 1, 'target', 'no budget', 'A lower target'],
    [
      'a target that is too low for its alerts',
      { metric_query: 'availability', target: 90 },
      0.99,
      'target',
      '1 of 4 burn-rate alerts can never fire',
      'above 93.1',
    ],
  ] as const)('%s', async (_, slo, value, field, message, hint) => {
    const problems = await problemsWith(slo, value as FakeReply)
    expect(problems).toContainEqual(
      expect.objectContaining({
        field,
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    )
    expect(problems).toHaveLength(field === 'query_unit' && message.startsWith('read as') ? 2 : 1)
  })

  test.each([
    ['good for bad', pair('bad_query'), bad(999, 1000), 'bad_query', 'counts what succeeds', 'send it as good_query'],
    ['bad for good', pair('good_query'), good(1, 1000), 'good_query', 'counts what fails', 'send it as bad_query'],
    [
      'more good than all',
      pair('good_query'),
      good(1020, 1000),
      'good_query',
      'good events of',
      'a part of all events',
    ],
    ['more bad than all', pair('bad_query'), bad(1020, 1000), 'bad_query', 'failing events of', 'a part of all events'],
    ['far more', pair('good_query'), good(2000, 1000), 'good_query', 'not between 0 and 1', 'a part of all events'],
    [
      'hardly any events',
      pair('good_query'),
      good(518, 518),
      'target',
      'The budget of 518 events in 30d is less than one failure',
      'longer',
    ],
  ] as const)('of two counts, %s', async (_, slo, table, field, message, hint) => {
    const problems = await problemsWith(slo, null, { 'count_over_time(': 8640, ...table })
    expect(problems).toContainEqual(
      expect.objectContaining({
        field,
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    )
  })

  test.each<[SloFields, FakeReply, Record<string, FakeReply>, object]>([
    [
      { metric_query: 'availability', query_unit: 'percent' },
      0.9995,
      {},
      { code: 'wrong_unit', params: { highest_value: 1 }, fix: { query_unit: 'ratio' } },
    ],
    [
      { metric_query: 'availability', query_unit: 'ratio' },
      99.5,
      {},
      { code: 'out_of_range', fix: { query_unit: 'percent' } },
    ],
    [
      { metric_query: 'errors_ratio # of all' },
      0.002,
      {},
      { code: 'inverted', params: { sli_percent: 0.2 }, fix: { metric_query: '1 - (errors_ratio # of all\n)' } },
    ],
    [
      { metric_query: 'availability' },
      ['a', 'b'].map((pod) => ({ labels: { pod }, value: 0.9 })),
      {},
      { code: 'several_series', fix: { metric_query: 'avg(availability)' } },
    ],
    [
      { metric_query: 'availability', target: 90 },
      0.99,
      {},
      { code: 'alerts_cannot_fire', params: { alerts: 1, total_alerts: 4, above_percent: 93.1 }, fix: { target: 94 } },
    ],
    [
      pair('bad_query'),
      null,
      { 'count_over_time(': 8640, ...bad(999, 1000) },
      { code: 'inverted', fix: { good_query: pair('bad_query')['bad_query'], bad_query: null } },
    ],
    [
      pair('good_query'),
      null,
      { 'count_over_time(': 8640, ...good(1, 1000) },
      { code: 'inverted', fix: { good_query: null, bad_query: pair('good_query')['good_query'] } },
    ],
    [
      pair('good_query'),
      null,
      { 'count_over_time(': 8640, ...good(1020, 1000) },
      { code: 'more_than_total', params: { events: 1020, total_events: 1000 } },
    ],
    [
      pair('good_query'),
      null,
      { 'count_over_time(': 8640, ...good(518, 518) },
      { code: 'no_budget', params: { total_events: 518 } },
    ],
    [{ metric_query: '"up"' }, { text: 'up' }, {}, { code: 'not_a_number', params: {} }],
    [{ metric_query: 'sum(rate(hits[5m]))' }, 7, {}, { code: 'not_a_ratio', params: {} }],
  ])('a code, params and the change that solves it: %j', async (slo, everywhere, table, expected) => {
    const problems = await problemsWith(slo, everywhere, table)
    expect(problems).toContainEqual(expect.objectContaining(expected))
    for (const { fix } of problems) {
      if (fix) expect((await it.preview({ ...slo, ...fix })).status).toBe(200)
    }
  })

  test('and nothing of what is right', async () => {
    const right = { 'count_over_time(': 8640, ...good(999_000, 1_000_000) }
    expect(await problemsWith(pair('good_query'), null, right)).toEqual([])
  })
})
