import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import type { Span } from '../../../src/ledger/bucket.ts'
import { queryGains } from '../../../src/ledger/measure/gains.ts'
import { plan } from '../../sli/planned.ts'
import { scriptedSource } from '../../support/scripted-source.ts'

const span: Span = { resolution: 60, startSeconds: 600, endSeconds: 780 }
const counters = (plan('sum(rate(good_total[5m])) / sum(rate(all_total[5m]))').counters?.total ?? []).map(
  ({ counter }) => counter,
)
const level = 'sum (all_total{})'
const possible = 'count (all_total{}) =='
const matched = 'clamp_min('
const broken = 'count ((resets('

async function gainsOf(script: Parameters<typeof scriptedSource>[0], asked = span) {
  const source = scriptedSource(script)
  const { gain } = await queryGains(source, counters, asked, 300)
  const [values] = [...gain.values.values()]
  const kinds = source.asked.map((expression) =>
    [level, possible, matched, broken].find((one) => expression.includes(one)),
  )
  return { gains: [660, 720, 780].map((end) => values?.get(end)), kinds }
}

test('the gains of counters that stayed the same are the differences of their levels', async () => {
  expect(
    await gainsOf([
      [possible, []],
      [level, [100, 107, 107, 110]],
    ]),
  ).toEqual({ gains: [7, 0, 3], kinds: [level, possible] })
})

test('a difference of two sums that is how they were rounded is no gain', async () => {
  const script: Parameters<typeof scriptedSource>[0] = [
    [possible, []],
    [level, [1e6, 1e6 + 1e-9, 1e6 - 1e-9, 1e6 + 1]],
  ]
  expect((await gainsOf(script)).gains.map((gain) => gain?.toFixed(6))).toEqual(['0.000000', '0.000000', '1.000000'])
})

test.each([
  ['that may have appeared, disappeared or been reset', [1], [100, 107, 107, 110]],
  ['without a value at the end of a minute', [], [100, 107, null, 110]],
  ['whose value is NaN', [], [100, NaN, 107, 110]],
])('counters %s are matched with their values a minute ago', async (_, breaks, levels) => {
  const result = await gainsOf([
    [possible, breaks],
    [matched, [5, 6, 7]],
    [broken, []],
    [level, levels],
  ])
  expect(result).toEqual({ gains: [5, 6, 7], kinds: [level, possible, matched, broken] })
})

test('what has appeared since the levels were read is found: the breaks are asked for afterwards', async () => {
  const source = scriptedSource([])
  const levels = Promise.withResolvers<void>()
  const { range } = source
  source.range = async (...query) => {
    const answer = await range(...query)
    if (source.asked.length === 1) await levels.promise
    return answer
  }
  const gains = queryGains(source, counters, span, 300)
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
  expect(source.asked).toHaveLength(1)
  levels.resolve()
  await gains
  expect(source.asked).toHaveLength(2)
})

test('a source that does not answer is asked for the levels alone', async () => {
  const source = scriptedSource([[level, new AppError('source_unavailable', 'metrics source did not answer')]])
  const { gain } = await queryGains(source, counters, span, 300)
  expect([source.asked.length, gain.failed.size]).toEqual([1, 1])
})

test('an hour is matched at once', async () => {
  const { kinds } = await gainsOf([], { ...span, endSeconds: 600 + 3600 })
  expect(kinds).toEqual([matched, broken])
})
