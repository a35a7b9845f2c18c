import { describe, expect, test } from 'bun:test'
import {
  type Bucket,
  type Data,
  intervalOf,
  numberOf,
  seriesName,
  sizeOf,
} from '../../../../../src/web/page/pages/explore/answer.ts'
import {
  graphColumns,
  graphOf,
  maxDrawn,
  seriesAt,
} from '../../../../../src/web/page/pages/explore/graph/graph-lines.ts'
import { tableOf } from '../../../../../src/web/page/charts/table-data.ts'
import { findMetrics } from '../../../../../src/web/page/pages/explore/metrics.ts'
import { parsePromql } from '../../../../../src/promql/check.ts'

test.each([
  [{ __name__: 'up', job: 'node' }, 'up{job="node"}'],
  [{ __name__: 'up' }, 'up'],
  [{}, '{}'],
  [{ job: 'a"b\\c\n' }, '{job="a\\"b\\\\c\\n"}'],
  [{ job: 'a\u202eb\u200b' }, '{job="a\\u202eb\\u200b"}'],
  [{ __name__: 'http.requests', 'service.name': 'x' }, '{"http.requests", "service.name"="x"}'],
] as const)('the series %j is called %p', (labels, name) => {
  expect(seriesName(labels)).toBe(name)
  // it can be queried by its name
  if (name !== '{}') expect(() => parsePromql(name)).not.toThrow()
})

test.each([
  ['1.5e-7', 1.5e-7],
  ['NaN', Number.NaN],
  ['+Inf', Infinity],
  ['-Inf', -Infinity],
])('the value %p is %p', (text, value) => {
  expect(numberOf(text)).toBe(value)
})

test.each([
  [0, '(0.5, 1]'],
  [1, '[0.5, 1)'],
  [2, '(0.5, 1)'],
  [3, '[0.5, 1]'],
])('a bucket whose rule is %p is %p', (rule, interval) => {
  expect(intervalOf([rule, '0.5', '1', '7'] as Bucket)).toBe(interval)
})

const span = { fromSeconds: 1000, toSeconds: 1064, stepSeconds: 15 }

describe('a graph', () => {
  const data: Data = {
    resultType: 'matrix',
    result: [
      {
        metric: { job: 'a' },
        values: [
          [1000, '1'],
          [1030, 'NaN'],
          [1060, '-2.5'],
        ],
      },
      { metric: { job: 'b' }, histograms: [[1015, { count: '7', sum: '3.5' }]] },
    ],
  }

  test('a graph has its values on the grid of the range, and gaps where there is none that can be drawn', () => {
    const graph = graphOf(data, span)
    expect(graph.times).toEqual([1000, 1015, 1030, 1045, 1060])
    expect(graph.series).toEqual([
      {
        name: '{job="a"}',
        labels: { job: 'a' },
        values: [1, null, null, null, -2.5],
        figures: { last: -2.5, mean: -0.75, min: -2.5, max: 1 },
      },
    ])
    expect(graph).toMatchObject({ total: 2, unbounded: 1, histograms: 1 })
  })

  test('a graph says in its table what was answered, as it was', () => {
    const { columns, rows } = tableOf(graphOf(data, span).times, graphColumns(data, span))
    expect(columns).toEqual(['Time', '{job="a"}', '{job="b"}'])
    expect(rows.map(([, ...cells]) => cells)).toEqual([
      [1, null],
      [null, 'count 7, sum 3.5'],
      ['NaN', null],
      [null, null],
      [-2.5, null],
    ])
  })

  test('a graph draws the first series of many, and counts all', () => {
    const many: Data = {
      resultType: 'matrix',
      result: Array.from({ length: 812 }, (_, at) => ({ metric: { at: String(at) }, values: [[1000, String(at)]] })),
    }
    const graph = graphOf(many, span)
    expect(graph.series).toHaveLength(maxDrawn)
    expect(graph.total).toBe(812)
    expect(graphColumns(many, span)).toHaveLength(813)
    expect(seriesAt(graph.series, 0, '{at="3"}', 3).map(({ name }) => name)).toEqual([
      '{at="3"}',
      '{at="99"}',
      '{at="98"}',
    ])
  })
})

test('series and samples are counted for each kind of answer', () => {
  expect(sizeOf({ resultType: 'scalar', result: [1, '2'] })).toEqual({ series: 1, samples: 1 })
  expect(sizeOf({ resultType: 'vector', result: [{ metric: {}, value: [1, '2'] }] })).toEqual({ series: 1, samples: 1 })
  const values: [number, string][] = [
    [1, '2'],
    [2, '3'],
  ]
  expect(sizeOf({ resultType: 'matrix', result: [{ metric: {}, values }] })).toEqual({ series: 1, samples: 2 })
})

test('metrics are found by words of their names and helps, those that begin so first', () => {
  const metrics = [
    { name: 'go_http_seconds', type: 'gauge', help: '' },
    { name: 'http_requests_total', type: 'counter', help: 'Requests.' },
    { name: 'up', type: '', help: 'Whether http answers' },
  ]
  expect(findMetrics(metrics, 'http').found.map(({ name }) => name)).toEqual([
    'http_requests_total',
    'go_http_seconds',
    'up',
  ])
  expect(findMetrics(metrics, 'requests total').found.map(({ name }) => name)).toEqual(['http_requests_total'])
  const many = Array.from({ length: 120 }, (_, at) => ({ name: `m${at}`, type: '', help: '' }))
  expect(findMetrics(many, 'm').more).toBe(70)
})
