import { expect, test } from 'bun:test'
import type { FakeSeries } from '../support/fake-source.ts'
import { previewer } from '../support/previewer.ts'

const it = previewer()

/** Problem of a preview whose good events have a matcher, where the label has these values. */
async function found(matcher: string, values: readonly string[]) {
  it.source.script((expression) => {
    if (!expression.startsWith('count by (code) (count_over_time(')) return 0.9995
    return values.map((code): FakeSeries => ({ labels: { code }, value: 1 }))
  })
  const slo = { metric_query: `sum(rate(hits{${matcher}}[5m])) / sum(rate(hits[5m]))` }
  const { status, body } = await it.preview(slo)
  expect(status).toBe(200)
  return body.problems.find(({ code }: { code: string }) => code === 'part_of_values')
}

test('a regular expression that excludes nothing, as it is only a part of the values, is named with one that does', async () => {
  expect(await found('code!~"5"', ['200', '404', '503'])).toEqual({
    field: 'metric_query',
    code: 'part_of_values',
    params: { metric: 'hits', matcher: 'code!~"5"', label: 'code', operator: '!~', value: '5', pattern: '5..' },
    message: 'code!~"5" excludes nothing: a regular expression matches whole values.',
    hint: 'Write code!~"5.." for values that begin so.',
  })
})

test.each([
  ['code!~"5"', ['200'], '5..'], // nothing has failed yet
  ['code!~"^4|^5"', ['200', '503'], '4..|5..'],
  ['code!~"err"', ['ok', 'error'], 'err.*'],
  ['code!~"5.."', ['200', '503'], undefined],
  ['code!~"503"', ['200', '503'], undefined],
  ['code!~"503"', ['200'], undefined],
  ['code!~"error"', ['ok'], undefined],
  ['code!="5"', ['200', '503'], undefined],
  ['code!~"5"', [], undefined],
])('%s where there are %p: %p', async (matcher, values, pattern) => {
  expect((await found(matcher, values))?.params.pattern).toBe(pattern)
})

test('a label with the name of an inherited property has only the values of the series', async () => {
  it.source.script((expression) => {
    if (!expression.startsWith('count by (constructor) (count_over_time(')) return 0.9995
    const labels: FakeSeries['labels'][] = [{}, { constructor: '500' }]
    return labels.map((one): FakeSeries => ({ labels: one, value: 1 }))
  })
  const { status, body } = await it.preview({
    metric_query: 'sum(rate(hits{constructor!~"5"}[5m])) / sum(rate(hits[5m]))',
  })
  expect(status).toBe(200)
  expect(body.problems).toContainEqual(expect.objectContaining({ code: 'part_of_values' }))
})
