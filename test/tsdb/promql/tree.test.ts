import { expect, test } from 'bun:test'
import {
  binaryParts,
  callArguments,
  descendants,
  functionName,
  numberValue,
  type PromqlNode,
  readPromql,
  sameExpression,
  unwrap,
} from '../../../src/tsdb/promql/tree.ts'
import { durationSeconds } from '../../../src/tsdb/promql/duration.ts'

function rootOf(text: string): PromqlNode {
  const { root } = readPromql(text)
  if (!root) throw new Error(`cannot be read: ${text}`)
  return root
}

const nested = (depth: number) => `${'('.repeat(depth)}x${')'.repeat(depth)}`

test.each([
  ['5m', 300],
  ['1h30m', 5400],
  ['1d', 86_400],
  ['2w', 1_209_600],
  ['1y', 31_536_000],
  ['500ms', 0.5],
  ['1y2w3d4h5m6s7ms', 33_019_506.007],
  ['300', 300],
  ['0.5', 0.5],
  ['1e3', 1000],
  ['0x1F', 31],
  ['1_000', 1000],
  ['0000001s', 1],
] as const)('the duration %p has %p seconds', (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds)
})

test.each(['', 'm', '5x', '5m3', '-5m', 'h5', 'five', '5 m'])('%p is no duration', (text) => {
  expect(durationSeconds(text)).toBeUndefined()
})

test.each([
  ['0.3', 0.3],
  ['-1', -1],
  ['- 5', -5],
  ['-(2)', -2],
  ['((7))', 7],
  ['+3', 3],
  ['5m', 300],
  ['Inf', Infinity],
  ['-inf', -Infinity],
  ['NaN', NaN],
  ['x', undefined],
  ['-x', undefined],
  ['1 + 1', undefined],
] as const)('the number in %p is %p', (text, value) => {
  expect(numberValue(rootOf(text))).toBe(value)
})

test('a tree has the names of the grammar, offsets into the text, and no comments', () => {
  const root = rootOf('# all\nsum(x{a="b"}[5m] # some\n) / 2 # end')
  expect(root.text).toBe('sum(x{a="b"}[5m] # some\n) / 2')
  expect([...descendants(root)].map(({ name }) => name)).not.toContain('LineComment')
  const parts = binaryParts(root)
  expect(parts?.operator.name).toBe('Div')
  expect(parts?.left.from).toBe(6)
})

test('strings and comments are told apart from code, in unreadable text too', () => {
  const text = 'x{a="1", b=\'2\'} default `3` # 4'
  const { quoted, root } = readPromql(text)
  expect(root).toBeNull()
  expect(quoted.map(({ from, to }) => text.slice(from, to))).toEqual(['"1"', "'2'", '`3`', '# 4'])
})

test.each([
  ['', 0, 'it is empty'],
  ['  \n', 0, 'it is empty'],
  ['sum(rate(x[5m])', 15, 'it ends too early'],
  ['x[$__interval]', 2, 'did not expect “$”'],
  ['sum(rate(x[5m])) default 0', 17, 'did not expect “default”'],
  ['rate(x[5m]) keep_metric_names_for_ever', 12, 'did not expect “keep_metric_names_fo…”'],
  ['a,b', 1, 'did not expect “,”'],
] as const)('%p is reported at %p: %s', (text, position, message) => {
  expect(readPromql(text)).toMatchObject({ root: null, problem: { position, message } })
})

test.each([
  ['10,000 parentheses', nested(10_000), 'it is longer than 16384 characters'],
  ['8,000 parentheses', nested(8_000), 'it is nested deeper than 1000 levels'],
  ['8,000 open brackets', 'x['.repeat(8_000), 'it is nested deeper than 1000 levels'],
  ['900 parentheses', nested(900), undefined],
])('%s are read or reported, and nothing is thrown', (_, text, message) => {
  expect(readPromql(text).problem?.message).toBe(message)
})

test('parentheses are seen through, and calls name their function and arguments', () => {
  const call = unwrap(rootOf('((quantile_over_time(0.9, x[5m])))'))
  expect(functionName(call)).toBe('quantile_over_time')
  expect(callArguments(call).map(({ text }) => text)).toEqual(['0.9', 'x[5m]'])
})

test.each([
  ['sum(rate(x{a="b"}[5m]))', '(sum( rate((x{ a = "b" }[5m])) )) # c', true],
  ['sum by (a) (x)', 'sum by (b) (x)', false],
  ['sum(x)', 'sum(y)', false],
  ['x[5m]', 'x[6m]', false],
  ['x{a="b c"}', 'x{a="bc"}', false],
] as const)('%p and %p are the same: %p', (a, b, same) => {
  expect(sameExpression(rootOf(a), rootOf(b))).toBe(same)
})
