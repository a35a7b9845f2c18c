import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { queryCounters } from '../../../src/ledger/counters/query-counters.ts'
import { breakQuantity, gainQuantity } from '../../../src/ledger/counters/quantities.ts'
import { type Counter, counterSum } from '../../../src/promql/analysis/counters/counter-sum.ts'
import { readPromql } from '../../../src/promql/read.ts'
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
