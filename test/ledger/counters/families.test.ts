import { describe, expect, test } from 'bun:test'
import { familiesOf, memberFinder, selectorOf } from '../../../src/ledger/counters/families.ts'
import { type Counter, counterSum } from '../../../src/promql/analysis/counters/counter-sum.ts'
import { readPromql } from '../../../src/promql/read.ts'

const counters = (...selectors: string[]) => selectors.map(counter)

function counter(selector: string): Counter {
  const { root } = readPromql(`rate(${selector}[5m])`)
  const [term] = (root && counterSum(root)) ?? []
  if (!term) throw new Error(`no counter: ${selector}`)
  return term.counter
}

const questions = (...selectors: string[]) => familiesOf(counters(...selectors)).map(selectorOf)

describe('counters share a question', () => {
  test('when they differ only in what their labels equal', () => {
    expect(questions('x{svc="a",code!~"5.."}', 'x{code!~"5..",svc="b"}')).toEqual(['x{code!~"5..",svc=~"a|b"}'])
  })

  test('once, when they are the same', () => {
    expect(questions('x{svc="a"}', "x{svc='a'}", 'x{svc="a"}')).toEqual(['x{svc="a"}'])
  })

  test('with a label that all have in common written as it is', () => {
    expect(questions('x{job="j",svc="a"}', 'x{job="j",svc="b"}')).toEqual(['x{job="j",svc=~"a|b"}'])
  })

  test('and each finds its own answer by the labels', () => {
    const [family] = familiesOf(counters('x{job="j",svc="a"}', 'x{svc="b",job="j"}'))
    if (!family) throw new Error('must be a family')
    expect(memberFinder(family)({ job: 'j', svc: 'b' })).toBe('x{job="j",svc="b"}')
    expect(memberFinder(family)({ job: 'j', svc: 'c' })).toBeUndefined()
  })

  test('and find the same answer, however they were written', () => {
    const spellings = counters('x{svc="a,b"}', "x{ svc='a,b' }", 'x{svc = `a,b`,}')
    const [family] = familiesOf(spellings)
    if (!family) throw new Error('must be a family')
    const found = memberFinder(family)({ svc: 'a,b' })
    expect(spellings.map(({ text }) => text === found)).toEqual([true, true, true])
  })

  test('of a metric whose name cannot stand in front of the braces', () => {
    expect(questions('{__name__="my.x",a="b"}', '{a="c",__name__="my.x"}')).toEqual(['{__name__="my.x",a=~"b|c"}'])
  })
})

describe('counters do not share a question', () => {
  test.each([
    ['of different metrics', ['x{a="b"}', 'y{a="c"}']],
    ['with different labels', ['x{a="b"}', 'x{c="b"}']],
    ['with another pattern', ['x{a="b",c!="d"}', 'x{a="c",c!="e"}']],
    ['for a label that is to be absent', ['x{a=""}', 'x{a="b"}']],
    ['for a value with escapes', ['x{a="\\u00e9"}', 'x{a="b"}']],
  ])('%s', (_, selectors) => {
    expect(familiesOf(counters(...selectors))).toHaveLength(2)
  })

  test('that would read much more than is asked for', () => {
    const diagonal = Array.from({ length: 20 }, (_, at) => `x{a="${at}",b="${at}"}`)
    for (const family of familiesOf(counters(...diagonal))) {
      const products = family.labels.map((_, at) => new Set(family.members.map(({ values }) => values[at])).size)
      expect((products[0] ?? 0) * (products[1] ?? 0)).toBeLessThanOrEqual(2 * family.members.length)
    }
    expect(familiesOf(counters(...diagonal)).flatMap(({ members }) => members)).toHaveLength(20)
  })

  test('that would be longer than a source reads', () => {
    const long = Array.from({ length: 300 }, (_, at) => `x{a="${'v'.repeat(100)}${at}"}`)
    const families = familiesOf(counters(...long))
    expect(families.flatMap(({ members }) => members)).toHaveLength(300)
    for (const family of families) expect(selectorOf(family).length).toBeLessThan(10_000)
  })
})

test('a value is no pattern', () => {
  expect(questions('x{a="b.c"}', "x{a='d\"e|f(g)'}")).toEqual(['x{a=~"b\\\\.c|d\\"e\\\\|f\\\\(g\\\\)"}'])
})
