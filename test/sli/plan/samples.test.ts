import { describe, expect, test } from 'bun:test'
import type { Sampling } from '../../../src/sli/plan/samples.ts'
import { day, plan } from '../planned.ts'

const every30s: Sampling = { shortestSeconds: 30, longestSeconds: 30, isClosed: false }
const mean = (samples: string) => `(sum(sum_over_time(${samples})) / sum(count_over_time(${samples})))`

describe('numbers at each sample of one selector', () => {
  test.each([
    ['up', mean('up[86399999ms]')],
    ['avg(up{job="a"})', mean('up{job="a"}[86399999ms]')],
    ['100 * up # c', `100 * ${mean('up[86399999ms]')} # c`],
    ['1 - (down)', `1 - (${mean('down[86399999ms]')})`],
    ['-(up - 1) / 2', `-(${mean('up[86399999ms]')} - 1) / 2`],
  ])('%s over a day is one mean', (stored, sent) => {
    const made = plan(stored)
    expect(made).toMatchObject({ method: 'samples', stored, stepSeconds: null })
    expect(made.expression(day)).toBe(sent)
  })

  test('a mean over a range keeps its method, and is measured sample by sample in the ledger', () => {
    expect(plan('avg_over_time(up[5m])')).toMatchObject({ method: 'widen', samples: { selector: { text: 'up' } } })
    expect(plan('avg(avg_over_time(up[$window]))')).toMatchObject({
      method: 'placeholder',
      samples: { selector: { text: 'up' } },
    })
  })

  test.each([
    'min(up)',
    'max(up)',
    'sum(up)',
    'avg by (job) (up)',
    'up or vector(0)',
    'up{job="a"} * up{job="b"}',
    'sum(up) / count(up)',
    '{job="a"}',
    'up offset 5m',
    'last_over_time(up[5m])',
    'avg(up) > 0.5',
    'avg_over_time(up[5m]) > 0.5',
    'up > down',
    'job:up:ratio{{.window}}',
  ])('%s is none', (stored) => {
    expect(plan(stored).samples).toBeNull()
  })

  test('window_method: mean asks for moments', () => {
    expect(plan({ metric_query: 'up', window_method: 'mean' })).toMatchObject({ method: 'mean', samples: null })
  })

  test('a comparison with a constant is looked at once for each sample in the ledger, and once a minute in a calculation', () => {
    const threshold = { metric_query: '100 * x', threshold: 30, threshold_op: 'lte' } as const
    for (const made of [plan('100 * x <= 30'), plan(threshold)]) {
      expect(made).toMatchObject({ method: 'slices', unitByText: 'ratio', stepSeconds: 60 })
      const value = '(100 * last_over_time(x[15s]))'
      const compared = `(((${value} == ${value}) <= bool 30)[59999ms:15s])`
      expect(made.samples?.coveredSums(60, every30s, false)).toContain(`count_over_time${compared}`)
    }
  })
})

describe('seconds covered and good', () => {
  const sumsOf = (query: string, seconds: number, sampling = every30s, isFiltered = false) =>
    plan(query).samples?.coveredSums(seconds, sampling, isFiltered) ?? ''

  test('each sample stands for the interval, and no series for more than the bucket', () => {
    const covered = 'clamp_max(count_over_time(up[60s]) * 30, 60)'
    expect(sumsOf('up', 60)).toBe(
      `label_replace(sum(${covered} * avg_over_time(up[60s])), "nines_sum", "good", "", "") or ` +
        `label_replace(sum(${covered}), "nines_sum", "total", "", "")`,
    )
  })

  test('a source whose ranges are closed is asked without the moment at their start', () => {
    const closed = { ...every30s, isClosed: true }
    expect(sumsOf('up', 60, closed)).toContain('up[59999ms]')
    expect(sumsOf('up < 3', 60, closed)).toContain('up[14999ms]')
  })

  test('a series with an interval longer than the bucket stands for it until the next sample', () => {
    const slow = { shortestSeconds: 300, longestSeconds: 300, isClosed: false }
    expect(sumsOf('up', 60, slow)).toContain('clamp_max(count_over_time(up[300s]) * 300, 60)')
  })

  test.each([
    [null, 60, '15s'],
    [1, 60, '500ms'],
    [5, 60, '2s'],
    [15, 60, '6s'],
    [30, 60, '15s'],
    [300, 60, '60s'],
  ])('with samples every %p s, %p s are compared every %p s', (shortestSeconds, seconds, step) => {
    const sampling = { shortestSeconds, longestSeconds: shortestSeconds, isClosed: false }
    expect(sumsOf('x < 3', seconds, sampling)).toMatch(new RegExp(`x\\[${step}\\].*\\[\\d+ms:${step}\\]`))
  })

  test('in a minute a comparison stands for the interval, and in an hour for the minutes until the next sample is due', () => {
    const fast = { shortestSeconds: 5, longestSeconds: 5, isClosed: false }
    expect(sumsOf('x < 3', 60, fast)).toContain(':2s]) * 5, 60)')
    const read = (heldMs: number) => {
      const last = `(last_over_time(x[${heldMs}ms]))`
      return `clamp_max(count_over_time(((${last} == ${last}) < bool 3)[3599999ms:60s]) * 60, 3600)`
    }
    expect(sumsOf('x < 3', 3600, fast)).toContain(read(61_999))
    const slow = { shortestSeconds: 5, longestSeconds: 600, isClosed: false }
    expect(sumsOf('x < 3', 3600, slow)).toContain(read(611_999))
  })
})
