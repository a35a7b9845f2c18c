import { describe, expect, test } from 'bun:test'
import { readPromql } from '../../src/promql/read.ts'
import { childrenOf, type Expr } from '../../src/promql/syntax.ts'
import { descendants } from '../../src/promql/tree.ts'

const chained = new Set<Expr['kind']>(['binary', 'unary', 'offset', 'at', 'range', 'subquery'])

function rootOf(text: string): Expr {
  const { root, problem } = readPromql(text)
  if (!root) throw new Error(`cannot be read: ${problem?.message}`)
  return root
}

/** Text of a node with brackets around every operation, sign and suffix. */
function bracketed(expr: Expr, text: string): string {
  let all = ''
  let at = expr.from
  for (const child of childrenOf(expr)) {
    all += text.slice(at, child.from) + bracketed(child, text)
    at = child.to
  }
  all += text.slice(at, expr.to)
  return chained.has(expr.kind) ? `⟨${all}⟩` : all
}

// Expressions that Prometheus 2.42 rejects, it rejects at a position that shows the same precedence.
describe('what follows an operand belongs to that alone, as in Prometheus', () => {
  test.each([
    ['a / b offset 5m', '⟨a / ⟨b offset 5m⟩⟩'],
    ['a offset 5m / b', '⟨⟨a offset 5m⟩ / b⟩'],
    ['a offset 1m / b offset 5m', '⟨⟨a offset 1m⟩ / ⟨b offset 5m⟩⟩'],
    ['a / b offset -5m', '⟨a / ⟨b offset -5m⟩⟩'],
    ['a / b @ 123', '⟨a / ⟨b @ 123⟩⟩'],
    ['a / b @ -123 * c', '⟨⟨a / ⟨b @ -123⟩⟩ * c⟩'],
    ['a / b @ end() offset 5m', '⟨a / ⟨⟨b @ end()⟩ offset 5m⟩⟩'],
    ['a / b[5m]', '⟨a / ⟨b[5m]⟩⟩'],
    ['a / b[5m] smoothed', '⟨a / ⟨b[5m]⟩ smoothed⟩'],
    ['max_over_time(a + b[5m:1m])', 'max_over_time(⟨a + ⟨b[5m:1m]⟩⟩)'],
    ['(a / b)[5m:1m]', '⟨(⟨a / b⟩)[5m:1m]⟩'],
    ['(a / b) offset 5m', '⟨(⟨a / b⟩) offset 5m⟩'],
    ['sum(a) / sum(b) offset 5m', '⟨sum(a) / ⟨sum(b) offset 5m⟩⟩'],
    ['1 - sum(rate(a[5m])) / b offset 1d', '⟨1 - ⟨sum(rate(⟨a[5m]⟩)) / ⟨b offset 1d⟩⟩⟩'],
  ])('%s', (text, expected) => expect(bracketed(rootOf(text), text)).toBe(expected))
})

describe('an operation binds as strongly beside an offset as without one', () => {
  test.each([
    ['a + b offset 1m * c', '⟨a + ⟨⟨b offset 1m⟩ * c⟩⟩'],
    ['a * b offset 1m + c', '⟨⟨a * ⟨b offset 1m⟩⟩ + c⟩'],
    ['a / b offset 1m / c', '⟨⟨a / ⟨b offset 1m⟩⟩ / c⟩'],
    ['a ^ b offset 1m', '⟨a ^ ⟨b offset 1m⟩⟩'],
    ['a ^ b offset 1m ^ c', '⟨a ^ ⟨⟨b offset 1m⟩ ^ c⟩⟩'],
    ['a or b offset 1m and c', '⟨a or ⟨⟨b offset 1m⟩ and c⟩⟩'],
    ['a unless b @ 1 or c', '⟨⟨a unless ⟨b @ 1⟩⟩ or c⟩'],
    ['a / b offset 5m <= bool 0.3', '⟨⟨a / ⟨b offset 5m⟩⟩ <= bool 0.3⟩'],
    ['0.3 >= b offset 5m == c', '⟨⟨0.3 >= ⟨b offset 5m⟩⟩ == c⟩'],
    ['a * on (x) group_left (y) b offset 5m % c', '⟨⟨a * on (x) group_left (y) ⟨b offset 5m⟩⟩ % c⟩'],
    ['a atan2 b offset 5m ^ 2', '⟨a atan2 ⟨⟨b offset 5m⟩ ^ 2⟩⟩'],
    ['abs(a + b offset 1m * d)', 'abs(⟨a + ⟨⟨b offset 1m⟩ * d⟩⟩)'],
    ['clamp(a, -1, b + c @ 1 * 2)', 'clamp(a, ⟨-1⟩, ⟨b + ⟨⟨c @ 1⟩ * 2⟩⟩)'],
  ])('%s', (text, expected) => expect(bracketed(rootOf(text), text)).toBe(expected))
})

describe('a sign binds like a multiplication, and before a number too', () => {
  test.each([
    ['-a offset 5m', '⟨-⟨a offset 5m⟩⟩'],
    ['-a offset 5m ^ b', '⟨-⟨⟨a offset 5m⟩ ^ b⟩⟩'],
    ['-a offset 5m * b', '⟨⟨-⟨a offset 5m⟩⟩ * b⟩'],
    ['a ^ -b offset 5m * c', '⟨⟨a ^ ⟨-⟨b offset 5m⟩⟩⟩ * c⟩'],
    ['- -a @ 1', '⟨- ⟨-⟨a @ 1⟩⟩⟩'],
    ['-1', '⟨-1⟩'],
    ['-1 ^ 2', '⟨-⟨1 ^ 2⟩⟩'],
    ['2 ^ -1 ^ 2', '⟨2 ^ ⟨-⟨1 ^ 2⟩⟩⟩'],
    ['1 - -2 ^ 2', '⟨1 - ⟨-⟨2 ^ 2⟩⟩⟩'],
  ])('%s', (text, expected) => expect(bracketed(rootOf(text), text)).toBe(expected))
})

test('comments and blanks change nothing, and every node says where it stands', () => {
  const text = ' ( a # / c\n /\t# all\n b # of\n offset # then\n 5m # end\n) + - # sign\n 1 '
  const nodes = [...descendants(rootOf(text))]
  expect(
    nodes.filter(({ kind }) => chained.has(kind) || kind === 'number').map(({ from, to }) => text.slice(from, to)),
  ).toEqual([
    text.trim(),
    'a # / c\n /\t# all\n b # of\n offset # then\n 5m',
    'b # of\n offset # then\n 5m',
    '- # sign\n 1',
    '1',
  ])
})

test('what is deep only once it is put together is refused, and nothing is thrown', () => {
  const powers = `${Array.from({ length: 40 }, () => '1').join('^')}@1`
  const text = Array.from({ length: 40 }, () => powers).join('^')
  expect(readPromql(text).problem?.message).toBe('it is nested deeper than 1000 levels')
})

test('chains in chains are read', () => {
  const text = `${'(a/b@1*'.repeat(200)}c${')^d@2'.repeat(200)}`
  expect([...descendants(rootOf(text))].filter(({ kind }) => kind === 'at')).toHaveLength(400)
})
