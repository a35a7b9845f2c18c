import { expect, test } from 'bun:test'
import { readPromql } from '../../src/promql/read.ts'
import { descendants } from '../../src/promql/tree.ts'

const nested = (depth: number) => `${'('.repeat(depth)}x${')'.repeat(depth)}`

test('strings and comments are distinguished from code, in unreadable text too', () => {
  const text = 'x{a="1", b=\'2\'} default `3` # 4'
  const { quoted, root } = readPromql(text)
  expect(root).toBeNull()
  expect(quoted.map(({ from, to }) => text.slice(from, to))).toEqual(['"1"', "'2'", '`3`', '# 4'])
})

test('a number may end in a dot, which stays in its text', () => {
  const numbers = (text: string) => {
    const { root } = readPromql(text)
    return root ? [...descendants(root)].flatMap((expr) => (expr.kind === 'number' ? expr.text : [])) : []
  }
  expect(numbers('2.')).toEqual(['2.'])
  expect(numbers('1./6. + 1_000.*2.e3')).toEqual(['1.', '6.', '1_000.', '2.e3'])
  expect(numbers('clamp_min(x{a="1."}, 010.) # 7.')).toEqual(['010.'])
  for (const text of ['2..', '2.m', '0x1F.', '2.5.', 'x[5.m]']) expect([text, ...numbers(text)]).toEqual([text])
})

test.each([
  ['', 0, 'it is empty'],
  ['  \n', 0, 'it is empty'],
  ['sum(rate(x[5m])', 15, 'it ends too early'],
  ['x[$__interval]', 2, 'did not expect “$”'],
  ['sum(rate(x[5m])) default 0', 17, 'did not expect “default”'],
  ['rate(x[5m]) keep_metric_names_for_ever', 12, 'did not expect “keep_metric_names_fo…”'],
  ['a,b', 1, 'did not expect “,”'],
  ['holt_winters(up[1h], 0.1, 0.1)', 12, 'it knows no function “holt_winters”'],
  ['sum(quantiles (up))', 14, 'it knows no function “quantiles”'],
] as const)('%p is reported at %p: %s', (text, position, message) => {
  expect(readPromql(text)).toMatchObject({ root: null, problem: { position, message } })
})

test.each([
  ['10,000 parentheses', nested(10_000), 'it is longer than 16384 characters'],
  ['8,000 parentheses', nested(8_000), 'its brackets are nested deeper than 200 levels'],
  ['8,000 open brackets', 'x['.repeat(8_000), 'its brackets are nested deeper than 200 levels'],
  ['8,000 signs', '-'.repeat(8_000), 'it has more than 2000 operators'],
  ['1,500 signs', `${'-'.repeat(1_500)}x`, 'it is nested deeper than 1000 levels'],
  ['200 signed powers', `${'1^-'.repeat(200)}1`, 'it has more than 100 signs after “^”'],
  ['200 parentheses', nested(200), undefined],
  ['800 operands', Array(800).fill('x').join('+'), undefined],
])('%s are read or reported, and nothing is thrown', (_, text, message) => {
  expect(readPromql(text).problem?.message).toBe(message)
})
