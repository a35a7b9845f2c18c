import { expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import type { QueryOptions, InstantData, Grid, SourceOpener } from '../../src/sources/source.ts'
import { testApp } from '../support/app.ts'
import { countedSlo } from '../support/counting-source.ts'

const timeoutMs = 700 // much longer than the rest of an evaluation takes

/** A shop without failures, answered at once. A query that contains `slow` uses all its time and gets no answer. */
const opener: SourceOpener = {
  open() {
    const ask = async <T>(expression: string, data: T, { elapsedMs = 0 }: QueryOptions = {}) => {
      if (expression.includes('slow')) await Bun.sleep(timeoutMs - elapsedMs)
      if (expression.includes('slow') || elapsedMs >= timeoutMs) throw new AppError('source_unavailable', 'too late')
      return { data, warnings: [], infos: [], isPartial: false, durationMs: 0 }
    }
    const metric = { service: 'shop' }
    const isNone = (expression: string) => expression.includes('5..') || expression.includes(' unless ')
    const valueOf = (expression: string) => (isNone(expression) && !expression.startsWith('1 - ') ? '0' : '1')
    return {
      name: 'shop',
      instant: (expression: string, at: number, options?: QueryOptions) => {
        const result = [{ metric, value: [at, valueOf(expression)] as [number, string] }]
        return ask<InstantData>(expression, { resultType: 'vector', result }, options)
      },
      range: (expression: string, { startSeconds, endSeconds, stepSeconds }: Grid, options?: QueryOptions) => {
        const count = Math.floor((endSeconds - startSeconds) / stepSeconds) + 1
        const timeAt = (n: number) => startSeconds + n * stepSeconds
        const values = Array.from({ length: count }, (_, n): [number, string] => [timeAt(n), valueOf(expression)])
        return ask(expression, [{ metric, values }], options)
      },
    }
  },
}

test.each([
  ['whose unit is not known yet', 'slow'],
  ['over counters', 'sum(rate(slow_good[5m])) / sum(rate(slow_all[5m]))'],
])('a query %s that is never answered fails none that it is asked with', async (_, metric_query) => {
  const nines = await testApp({ env: { SOURCE_URL: 'http://source.example' }, opener })
  await nines.join('ada')
  const shop = countedSlo('shop')
  await nines.call('POST', '/api/v1/slos', shop)
  await nines.call('POST', '/api/v1/slos', { ...shop, bad_query: null, total_query: null, metric_query })
  const evaluations = await nines.app.evaluator.evaluateAll()
  expect(evaluations.find(({ sloId }) => sloId === 1)).toMatchObject({
    reason: null,
    current: 100,
    goodEvents: 1,
  })
  expect(evaluations.find(({ sloId }) => sloId === 2)).toMatchObject({ reason: 'source_error', current: null })
  await nines.close()
})
