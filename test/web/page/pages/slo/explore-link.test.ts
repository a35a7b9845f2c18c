import { describe, expect, test } from 'bun:test'
import { parsePromql } from '../../../../../src/promql/check.ts'
import { readAddress } from '../../../../../src/web/page/address/explore.ts'
import {
  exploreBurn,
  exploreFailed,
  exploreSli,
  timeOf,
} from '../../../../../src/web/page/pages/slo/over-time/explore-link.ts'

const time = { from: 'now-7d', to: 'now' }
const good = 'sum(rate(ok[5m]))'
const total = 'sum(rate(all[5m]))'
const slo = {
  source_id: 3,
  metric_query: `(${good}) / (${total})`,
  good_query: good,
  bad_query: null,
  total_query: total,
  threshold: null,
  threshold_op: null,
  query_unit: 'auto',
  target: 99.9,
}
const queriesOf = (path: string) => {
  const texts = readAddress(path).queries.map(({ text }) => text)
  for (const text of texts) expect(() => parsePromql(text)).not.toThrow()
  return texts
}

describe('the explorer of a chart', () => {
  test('the explorer of a chart has the source, the range and the query of the SLI', () => {
    expect(readAddress(exploreSli(slo, time))).toMatchObject({ source: 3, from: 'now-7d', to: 'now' })
    expect(queriesOf(exploreSli(slo, time))).toEqual([slo.metric_query])
  })

  test('the explorer of a chart has a bound of an SLO as a query of its own', () => {
    const bounded = {
      ...slo,
      good_query: null,
      total_query: null,
      metric_query: 'x',
      threshold: 0.25,
      threshold_op: 'lte',
    }
    expect(queriesOf(exploreSli(bounded, time))).toEqual(['x', '(x) <= bool 0.25'])
    expect(queriesOf(exploreBurn(bounded, time))).toEqual(['x', '(x) <= bool 0.25'])
  })

  test('the explorer of a chart has a duration for the window of a query', () => {
    const templated = { ...slo, metric_query: 'rate(a[$window]) / rate(b[window])' }
    expect(queriesOf(exploreSli(templated, time))).toEqual(['rate(a[5m]) / rate(b[5m])'])
  })

  test('the explorer of a chart has the burn rate where the unit of the query is known', () => {
    expect(queriesOf(exploreBurn(slo, time))).toEqual([`(1 - (${slo.metric_query})) / 0.001`])
    const alone = { ...slo, good_query: null, total_query: null, metric_query: 'x' }
    expect(queriesOf(exploreBurn({ ...alone, query_unit: 'percent' }, time))).toEqual(['(100 - (x)) / 0.1'])
    expect(queriesOf(exploreBurn(alone, time))).toEqual(['x'])
  })

  test('the explorer of a chart has what failed and all, where both are known', () => {
    expect(queriesOf(exploreFailed(slo, time))).toEqual([`(${total}) - (${good})`, total])
    expect(queriesOf(exploreFailed({ ...slo, good_query: null, bad_query: good }, time))).toEqual([good, total])
    expect(queriesOf(exploreFailed({ ...slo, total_query: null, good_query: null }, time))).toEqual([slo.metric_query])
  })

  test('the explorer of a chart has a range that ends now as such, another by its moments', () => {
    const range = { name: '7d', fromMs: 1, toMs: 2, stepSeconds: 60, query: '' }
    expect(timeOf(range)).toEqual({ from: 'now-7d', to: 'now' })
    expect(timeOf({ ...range, name: 'custom', fromMs: 1_795_255_200_000, toMs: 1_795_255_300_000 })).toEqual({
      from: '1795255200000',
      to: '1795255300000',
    })
  })
})
