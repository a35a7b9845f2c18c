import { expect, test } from 'bun:test'
import { durationSeconds } from '../../src/promql/literals.ts'
import { readPromql } from '../../src/promql/read.ts'
import { type Expr, unwrap } from '../../src/promql/syntax.ts'
import { argumentsOf, calledFunction, numberValue, sameExpression } from '../../src/promql/tree.ts'
import { memoizeByText } from '../../src/promql/memoize-text.ts'

function rootOf(text: string): Expr {
  const { root } = readPromql(text)
  if (!root) throw new Error(`cannot be read: ${text}`)
  return root
}

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

test('a tree has offsets into the text, and no comments', () => {
  const text = '# all\nsum(x{a="b"}[5m] # some\n) / 2 # end'
  const root = rootOf(text)
  expect(text.slice(root.from, root.to)).toBe('sum(x{a="b"}[5m] # some\n) / 2')
  expect(root).toMatchObject({
    kind: 'binary',
    operator: '/',
    left: { kind: 'aggregate', from: 6, args: [{ kind: 'range', expr: { metric: 'x', braceFrom: 11 } }] },
    right: { kind: 'number', value: 2 },
  })
})

test('parentheses are seen through, and calls name their function and arguments', () => {
  const text = '((quantile_over_time(0.9, x[5m])))'
  const call = unwrap(rootOf(text))
  expect(calledFunction(call)).toBe('quantile_over_time')
  expect(argumentsOf(call).map(({ from, to }) => text.slice(from, to))).toEqual(['0.9', 'x[5m]'])
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

test('what is computed of a text is kept for the thousand that were last read, but not for long ones', () => {
  const computed: string[] = []
  const lengthOf = memoizeByText((text) => computed.push(text.slice(0, 5)) && text.length)
  const long = 'x'.repeat(2001)
  for (const text of ['up', 'up', long, long]) expect(lengthOf(text)).toBe(text.length)
  expect(computed).toEqual(['up', 'xxxxx', 'xxxxx'])
  for (let at = 0; at < 999; at += 1) lengthOf(`up ${at}`)
  lengthOf('up')
  for (let at = 0; at < 999; at += 1) lengthOf(`down ${at}`)
  computed.length = 0
  for (const text of ['up', 'up 0']) lengthOf(text)
  expect(computed).toEqual(['up 0'])
})
