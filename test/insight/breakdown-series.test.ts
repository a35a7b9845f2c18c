import { expect, test } from 'bun:test'
import { countByLabel } from '../../src/insight/breakdown-series.ts'
import { scriptedSource } from '../support/scripted-source.ts'
import { plan } from '../sli/planned.ts'

test('a series without a label counts for the empty value, also if objects inherit its name', async () => {
  const { counters } = plan('sum(rate(ok_total[5m])) / sum(rate(all_total[5m]))')
  if (!counters) throw new Error('must count events')
  const result = [
    { metric: { constructor: 'a' }, value: [60, '5'] as [number, string] },
    { metric: {}, value: [60, '3'] as [number, string] },
  ]
  const source = {
    ...scriptedSource([]),
    instant: () =>
      Promise.resolve({
        data: { resultType: 'vector' as const, result },
        warnings: [],
        infos: [],
        isPartial: false,
        durationMs: 0,
      }),
  }
  const { labels } = await countByLabel(source, { counters, startSeconds: 0, endSeconds: 60 })
  const values = new Map([
    ['a', 5],
    ['', 3],
  ])
  expect(labels).toEqual([{ label: 'constructor', counted: values, total: values }])
})
