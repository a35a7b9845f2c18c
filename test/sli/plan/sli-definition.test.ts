import { describe, expect, test } from 'bun:test'
import { A, B, day, E, overDay, plan } from '../planned.ts'

describe('a pair of queries', () => {
  test('good over total, comments and all', () => {
    const made = plan({ goodQuery: `${A} # good`, totalQuery: B, metricQuery: 'ignored' })
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
    const made = plan({ badQuery: E, totalQuery: B })
    expect(made.stored).toBe(`1 - (${E}) / (${B})`)
    expect(made.sides).toMatchObject({ counts: 'bad', unit: 'ratio', counted: { stored: E }, total: { stored: B } })
  })

  test('goes the way of every expression: placeholders, thresholds, means', () => {
    const filled = plan({ badQuery: 'sum(increase(e[$window]))', totalQuery: 'sum(increase(t[$window]))' })
    expect(filled.expression(60)).toBe('1 - (sum(increase(e[60s]))) / (sum(increase(t[60s])))')
    expect(filled.sides?.counted.kind).toBe('count')
    expect(plan({ goodQuery: 'a', totalQuery: 'b' }).method).toBe('mean')
    expect(plan({ goodQuery: 'a', totalQuery: 'b', threshold: 0.9, thresholdOp: 'gte' }).method).toBe('slices')
  })

  test.each([
    [{ goodQuery: 'sum(', totalQuery: 'b' }, 'good_query, character 5'],
    [{ badQuery: 'a', totalQuery: 'b $ c' }, 'total_query, character 3'],
    [{ goodQuery: 'sum(a)) / (sum(b)', totalQuery: 'c' }, 'good_query, character 7'],
    [{ badQuery: 'a', totalQuery: 'b) - (c' }, 'total_query, character 2'],
  ])('a problem in %p is placed at %s', (definition, place) => {
    const made = plan(definition)
    expect(made).toMatchObject({ method: 'mean', sides: null, unitByText: 'ratio' })
    expect(made.notes).toEqual([expect.stringContaining(`(${place})`)])
  })

  test.each([
    [{ metricQuery: 'x', goodQuery: 'a' }, 'not used without total_query'],
    [{ metricQuery: 'x', totalQuery: 'a' }, 'total_query is not used'],
    [{ goodQuery: 'a', badQuery: 'b', totalQuery: 'c' }, 'bad_query is not used'],
    [{}, 'metric_query is empty'],
  ])('%p is noted: %s', (definition, note) => {
    expect(plan(definition).notes).toEqual([expect.stringContaining(note)])
  })
})
