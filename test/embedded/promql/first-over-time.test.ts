import { expect, test } from 'bun:test'
import { evaluateInstant } from '../../../src/embedded/promql/query.ts'
import { endMs, readerOf, generatedSeries } from './samples.ts'

const limits = { maxSamples: 1e6, maxSeries: 1000, expired: () => false }

/** Not compared, since Debian's Prometheus does not have the function. */
test('first_over_time is the first sample of a range, as last_over_time is the last; both keep the name', () => {
  const reader = readerOf(generatedSeries())
  const ask = (query: string) => evaluateInstant(reader, query, endMs, { limits })
  const raw = ask('{__name__=~".+"}[5m]')
  if (raw.type !== 'matrix') throw new Error('a range is a matrix')
  expect(raw.series.length).toBeGreaterThan(5)
  for (const [name, place] of [
    ['first_over_time', 0],
    ['last_over_time', -1],
  ] as const) {
    const samples = raw.series.map(({ labels, values }) => ({ labels, point: [endMs, values.at(place)] }))
    expect(ask(`${name}({__name__=~".+"}[5m])`)).toEqual({ type: 'vector', samples: expect.arrayContaining(samples) })
  }
})
