import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { collectCounter, resultsOfQuery } from '../support/collected-counters.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
  // A service that has answered a million requests without errors and now fails every tenth.
  collectCounter(nines, 'c_total', { code: '200' }, { growth: 9 })
  collectCounter(nines, 'c_total', { code: '500' }, { growth: 1, start: 1000 })
})
afterAll(() => nines.close())

const [good, all] = ['c_total{code="200"}', 'c_total']
const ratioOf = (spell: (selector: string) => string) => `${spell(good)} / ${spell(all)}`

describe('the outage is measured', () => {
  test.each([
    [ratioOf((one) => `sum(${one}) without ()`), 'Both sides are matched by code'],
    [ratioOf((one) => `sum(${one} > 0)`), 'is read without rate or increase'],
    [ratioOf((one) => `sum(delta(${one}[5m]))`), 'each restart of it counts as a negative difference'],
    [ratioOf((one) => `sum(idelta(${one}[5m]))`), 'each restart of it counts as a negative difference'],
    [ratioOf((one) => `sum(deriv(${one}[5m]))`), 'each restart of it counts as a negative difference'],
    [ratioOf((one) => `sum(${one} - ${one} offset 5m)`), null],
    [ratioOf((one) => `(sum(${one}) - sum(${one} offset 5m))`), null],
    [ratioOf((one) => `increase(sum(${one})[5m:1m])`), 'the restart of one is taken for that of all'],
    [ratioOf((one) => `sum(increase((${one} + ${one})[5m:1m]))`), 'the restart of one is taken for that of all'],
    [ratioOf((one) => `sum(sum_over_time(rate(${one}[2m])[5m:1m]))`), null],
    [`avg_over_time((${ratioOf((one) => `sum(${one})`)})[10m:1m])`, 'is read without rate or increase'],
    [ratioOf((one) => `(sum(${one}) / 2)`), 'is read without rate or increase'],
    [
      ratioOf((one) => `sum({__name__=~"c_total"${one === good ? ',code="200"' : ''}})`),
      'is read without rate or increase',
    ],
  ])('by %s', async (query, note) => {
    const { calculated, evaluated, created } = await resultsOfQuery(nines, query)
    expect(calculated.current_value).toBeCloseTo(90, 0)
    expect(evaluated?.current).toBeCloseTo(90, 0)
    if (note !== null) expect(calculated.warnings).toContainEqual(expect.stringContaining(note))
    if (note !== null && !query.includes('__name__')) expect(created.warnings.join()).toContain(note)
  })
})

test.each([
  ratioOf((one) => `sum(increase(${one}[5m:1m]))`),
  ratioOf((one) => `sum(rate((2 * ${one})[5m:1m]))`),
  ratioOf((one) => `sum(rate(label_replace(${one}, "a", "b", "", "")[5m:1m]))`),
])('%s has no note on restarts: each counter is read by itself', async (query) => {
  const { calculated, created, preview } = await resultsOfQuery(nines, query)
  expect(calculated.current_value).toBeCloseTo(90, 0)
  expect([created.warnings, preview.warnings, calculated.warnings].join()).not.toContain('restart')
})

describe('what is not the share of the events in the window says so', () => {
  test.each([
    [ratioOf((one) => `sum(max_over_time(${one}[5m]))`), 'is read as a gauge. If it is a counter, write increase('],
    [ratioOf((one) => `sum(last_over_time(${one}[5m]))`), 'is read as a gauge. If it is a counter, write increase('],
    [ratioOf((one) => `sum(stddev_over_time(${one}[5m]))`), 'is read as a gauge. If it is a counter, write increase('],
    [
      ratioOf((one) => `sum(predict_linear(${one}[5m], 60))`),
      'is read as a gauge. If it is a counter, write increase(',
    ],
    [ratioOf((one) => `sum(count_over_time(${one}[5m]))`), 'counts the samples of c_total, not its events'],
  ])('%s has a note', async (query, note) => {
    const { calculated, created, preview } = await resultsOfQuery(nines, query)
    const said = expect.arrayContaining([expect.stringContaining(note)])
    expect([created.warnings, preview.warnings, calculated.warnings]).toEqual([said, said, said])
  })

  test.each([
    ratioOf((one) => `sum(max_over_time(${one}[5m:1m]))`),
    ratioOf((one) => `quantile(0.5, ${one})`),
    `sum(${good}) * (1 / sum(${all}))`,
    `sum(${good}) * sum(${all}) ^ -1`,
    `exp(ln(sum(${good})) - ln(sum(${all})))`,
    `sum(rate(${good}[5m])) / sum(rate(${all}[5m])) * sum(${good})`,
    `sum(${good}) % sum(${all})`,
  ])('%s is unknown, with what mends it', async (query) => {
    const { calculated, evaluated, created, preview } = await resultsOfQuery(nines, query)
    const sentence = expect.stringContaining('is a counter: its value counts from its start')
    const unknown = { status: 'unknown', status_reason: 'not_a_ratio', status_message: sentence }
    expect(calculated).toMatchObject({ current_value: null, ...unknown })
    expect(evaluated).toMatchObject({ current: null, own: null, message: sentence })
    expect(created.warnings[0]).toEqual(sentence)
    expect(preview.problems[0].message).toEqual(sentence)
  })
})
