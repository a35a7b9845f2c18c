import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { queryCounters, queryIncreases, queryOwnIncreases } from '../../../src/ledger/counters/query-counters.ts'
import { breakQuantity, gainQuantity } from '../../../src/ledger/counters/quantities.ts'
import { type Counter, counterSum } from '../../../src/promql/analysis/counters/counter-sum.ts'
import { readPromql } from '../../../src/promql/read.ts'
import { sampledSource } from '../../support/sampled-source.ts'
import { scriptedSource } from '../../support/scripted-source.ts'

const grid = { startSeconds: 60, endSeconds: 180, stepSeconds: 60 }

function counter(selector: string): Counter {
  const { root } = readPromql(`rate(${selector}[5m])`)
  const [term] = (root && counterSum(root)) ?? []
  if (!term) throw new Error(`no counter: ${selector}`)
  return term.counter
}

test('what a source has refused is halved the next 30 times before it is sent, and then sent again', async () => {
  const counters = [counter('refused_total{svc="a"}'), counter('refused_total{svc="b"}')]
  const script: Parameters<typeof scriptedSource>[0] = [
    ['a|b', new AppError('source_refused', 'too many samples')],
    ['refused_total', [1]],
  ]
  const ask = async (quantity = breakQuantity(300)) => {
    const source = scriptedSource(script)
    expect((await queryCounters(source, counters, quantity, grid)).failed.size).toBe(0)
    return source.asked.length
  }
  expect(await ask()).toBe(3)
  for (let time = 0; time < 30; time += 1) expect(await ask()).toBe(2)
  expect(await ask()).toBe(3)
  expect(await ask(gainQuantity(300))).toBe(3) // another quantity is not affected
  script.shift()
  for (let time = 0; time < 30; time += 1) expect(await ask()).toBe(2)
  expect(await ask()).toBe(1)
})

test('no query is longer than the longest that VictoriaMetrics takes', async () => {
  const counters = Array.from({ length: 150 }, (_, at) => counter(`long_total{svc="${String(at).padStart(40, 'x')}"}`))
  const source = scriptedSource([])
  await queryCounters(source, counters, breakQuantity(300), grid)
  expect(source.asked.length).toBe(4)
  expect(Math.max(...source.asked.map(({ length }) => length))).toBeLessThanOrEqual(16_384)
  for (const { text } of counters) {
    const [, value = ''] = /"(\w+)"/.exec(text) ?? []
    expect(source.asked.filter((expression) => expression.includes(value))).toHaveLength(1)
  }
})

describe('events of an own window, by the start of their counters,', () => {
  const at = 1_784_001_600
  const windowSeconds = 7200
  const names: Record<string, string> = { all: 'heartbeat_runs_total', bad: 'heartbeat_runs_good_total' }
  const term = (selector: string) => ({ counter: counter(selector), sign: 1 as const, isOptional: false })
  const counters = {
    counts: 'good' as const,
    counted: [term('heartbeat_runs_good_total')],
    total: [term('heartbeat_runs_total')],
  }
  const slos = [{ sloId: 1, counters }]

  type Values = [second: number, value: number][]
  const sampled = (samples: { all: Values; bad: Values }) =>
    sampledSource(
      Object.entries(samples).map(([name, values]) => ({
        labels: { __name__: names[name] ?? '' },
        samples: values.map(([second, value]) => ({ atMs: (at + second) * 1000, value })),
      })),
    )
  const bad: Values = [
    [-3, 0],
    [-1, 1],
  ]

  test('are differences of their samples for those that began in it', async () => {
    const all: Values = [
      [-3, 0],
      [-2, 1],
      [-1, 3],
    ]
    const source = sampled({ all, bad })
    expect((await queryOwnIncreases(source, slos, windowSeconds, at)).get(1)).toEqual({ counted: 1, total: 3 })
  })

  test('are those that increase says where they were there before, or were reset', async () => {
    const all: Values = [
      [-7260, 100],
      [-60, 700],
      [0, 710],
    ]
    for (const samples of [
      { all, bad: all },
      { all: [...bad, [2, 0], [3, 1]] satisfies Values, bad },
    ]) {
      const source = sampled(samples)
      const own = await queryOwnIncreases(source, slos, windowSeconds, at + 4)
      const increases = await queryIncreases(source, slos, windowSeconds, at + 4)
      expect(own.get(1)).toMatchObject({ total: totalOf(increases) })
    }
  })

  test('are those that increase says if they began more than a day before its end', async () => {
    const source = sampled({ all: bad, bad })
    await queryOwnIncreases(source, slos, 30 * 86_400, at + 86_400)
    expect(source.asked.filter((asked) => asked.includes('max_over_time'))).toEqual([])
  })

  test('are those that increase says of other counters', async () => {
    const source = sampledSource(
      ['all', 'bad'].map((name) => ({
        labels: { __name__: `${name}_total` },
        samples: bad.map(([second, value]) => ({ atMs: (at + second) * 1000, value })),
      })),
    )
    const others = { counts: 'bad' as const, counted: [term('bad_total')], total: [term('all_total')] }
    const own = await queryOwnIncreases(source, [{ sloId: 1, counters: others }], windowSeconds, at)
    expect(own).toEqual(await queryIncreases(source, [{ sloId: 1, counters: others }], windowSeconds, at))
    expect(source.asked).toHaveLength(4)
  })

  function totalOf(increases: Awaited<ReturnType<typeof queryIncreases>>): number {
    const one = increases.get(1)
    return one && 'total' in one ? (one.total ?? NaN) : NaN
  }
})
