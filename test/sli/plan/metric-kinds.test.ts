import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { inferMetricKinds } from '../../../src/sli/plan/metric-kinds.ts'
import type { Source } from '../../../src/sources/source.ts'

type Values = { changes: number; resets: number; top: number }

/** A source with these types of metrics, and values of selectors over time. */
function sourceOf(types: Record<string, string[]>, values: Record<string, Values> = {}) {
  const sent: string[] = []
  const remarks = { warnings: [], infos: [], isPartial: false, durationMs: 0 }
  const source: Source = {
    name: 'typed',
    range: () => Promise.reject(new Error('a range was queried')),
    async instant(expression) {
      sent.push(expression)
      const [, name = '', selector = ''] = /\((\w+)\((.*)\[1d\]\)\)$/.exec(expression) ?? []
      const told = values[selector]
      const value = told && { changes: told.changes, resets: told.resets, max_over_time: told.top }[name]
      const result = value === undefined ? [] : [{ metric: {}, value: [0, String(value)] as [number, string] }]
      return { data: { resultType: 'vector', result }, ...remarks }
    },
    async types(metric) {
      return { data: types[metric] ?? [], ...remarks }
    },
  }
  return { source, sent }
}

const kindOf = async (types: Record<string, string[]>, selector: string, values?: Record<string, Values>) =>
  (await inferMetricKinds(sourceOf(types, values).source, [selector], 0)).get(selector) ?? null

describe('the type that targets give a metric decides', () => {
  test.each([
    ['requests', { requests: ['counter'] }, 'counter'],
    ['ready_count', { ready_count: ['gauge'] }, 'gauge'],
    ['x_bucket{le="1"}', { x: ['histogram'] }, 'counter'],
    ['x_count', { x: ['summary'] }, 'counter'],
    ['x_total', { x: ['counter'] }, 'counter'], // OpenMetrics
  ] as const)('%s', async (selector, types, kind) => {
    const { source, sent } = sourceOf(Object.fromEntries(Object.entries(types).map(([name, of]) => [name, [...of]])))
    expect((await inferMetricKinds(source, [selector], 0)).get(selector)).toEqual({ kind, isSure: true })
    expect(sent).toEqual([])
  })

  test('targets that do not agree decide nothing', async () => {
    expect(await kindOf({ x_total: ['counter', 'gauge'] }, 'x_total')).toBeNull()
  })
})

test('a name that decides is enough: nothing more is queried', async () => {
  const { source, sent } = sourceOf({})
  expect(await inferMetricKinds(source, ['x_total', 'y_bucket'], 0)).toEqual(new Map())
  expect(sent).toEqual([])
})

describe('else the values of a day do', () => {
  test.each([
    ['only grew', { changes: 1000, resets: 0, top: 5000 }, { kind: 'counter', isSure: true }],
    ['grew, and began again once', { changes: 1000, resets: 1, top: 5000 }, { kind: 'counter', isSure: true }],
    ['rose and fell', { changes: 4, resets: 2, top: 5 }, { kind: 'gauge', isSure: true }],
    ['stood still', { changes: 0, resets: 0, top: 5 }, { kind: 'gauge', isSure: false }],
    ['became 1', { changes: 1, resets: 0, top: 1 }, { kind: 'gauge', isSure: false }],
    ['grew a little', { changes: 3, resets: 0, top: 5 }, { kind: 'unsure', isSure: false }],
    ['fell now and then', { changes: 100, resets: 10, top: 5 }, { kind: 'unsure', isSure: false }],
  ] as const)('%s', async (_, values, decided) => {
    expect(await kindOf({}, 'requests', { requests: values })).toEqual(decided)
  })

  test('all selectors of a metric have one kind', async () => {
    const grew = { changes: 1000, resets: 0, top: 5000 }
    const sure = { kind: 'counter', isSure: true } as const
    const { source } = sourceOf({}, { requests: grew })
    const kinds = await inferMetricKinds(source, ['requests', 'requests{code="500"}'], 0)
    expect([...kinds.values()]).toEqual([sure, sure])
  })

  test('without values nothing is decided', async () => {
    expect(await kindOf({}, 'requests')).toBeNull()
  })

  test.each([
    ['source_refused', { kind: 'unsure', isSure: false }],
    ['source_unavailable', null],
  ] as const)('an error %s decides %p', async (kind, decided) => {
    const { source } = sourceOf({})
    const failing = { ...source, instant: () => Promise.reject(new AppError(kind, 'no')) }
    expect((await inferMetricKinds(failing, ['requests'], 0)).get('requests') ?? null).toEqual(decided)
  })
})
