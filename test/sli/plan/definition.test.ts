import { describe, expect, test } from 'bun:test'
import { A, B, day, E, overDay, plan } from '../planned.ts'

describe('a pair of queries', () => {
  test('good over total, comments and all', () => {
    const made = plan({ good_query: `${A} # good`, total_query: B, metric_query: 'ignored' })
    expect(made).toMatchObject({
      method: 'widen',
      unitByText: 'ratio',
      stored: `(${A} # good\n) / (${B})`,
      notes: [],
    })
    expect(made.expression(day)).toBe(overDay(`(${A} # good\n) / (${B})`))
    expect(made.sides).toMatchObject({
      counts: 'good',
      counted: { stored: A, kind: 'count' },
      total: { stored: B },
    })
    expect(made.coverageExpression(300)).toBe(B)
  })

  test('bad over total', () => {
    const made = plan({ bad_query: E, total_query: B })
    expect(made.stored).toBe(`1 - (${E}) / (${B})`)
    expect(made.sides).toMatchObject({ counts: 'bad', unit: 'ratio', counted: { stored: E }, total: { stored: B } })
  })

  test('goes the way of every expression: placeholders, thresholds, means', () => {
    const filled = plan({ bad_query: 'sum(increase(e[$window]))', total_query: 'sum(increase(t[$window]))' })
    expect(filled.expression(60)).toBe('1 - (sum(increase(e[60s]))) / (sum(increase(t[60s])))')
    expect(filled.sides?.counted.kind).toBe('count')
    expect(plan({ good_query: 'a', total_query: 'b' }).method).toBe('mean')
    expect(plan({ good_query: 'a', total_query: 'b', threshold: 0.9, threshold_op: 'gte' }).method).toBe('slices')
  })

  test.each([
    [{ good_query: 'sum(', total_query: 'b' }, 'good_query, character 5'],
    [{ bad_query: 'a', total_query: 'b $ c' }, 'total_query, character 3'],
    [{ good_query: 'sum(a)) / (sum(b)', total_query: 'c' }, 'good_query, character 7'],
    [{ bad_query: 'a', total_query: 'b) - (c' }, 'total_query, character 2'],
  ])('a problem in %p is placed at %s', (definition, place) => {
    const made = plan(definition)
    expect(made).toMatchObject({ method: 'mean', sides: null, unitByText: 'ratio' })
    expect(made.notes).toEqual([expect.stringContaining(`(${place})`)])
  })

  test.each([
    [{ metric_query: 'x', good_query: 'a' }, 'not used without total_query'],
    [{ metric_query: 'x', total_query: 'a' }, 'total_query is not used'],
    [{ good_query: 'a', bad_query: 'b', total_query: 'c' }, 'bad_query is not used'],
    [{}, 'metric_query is empty'],
  ])('%p is noted: %s', (definition, note) => {
    expect(plan(definition).notes).toEqual([expect.stringContaining(note)])
  })
})
