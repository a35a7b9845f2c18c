import { describe, expect, test } from 'bun:test'
import { day, plan } from '../../sli/planned.ts'

const good = 'c{code="200"}'
const overDay = (side: string) => `increase(${side}[86400s])`
const ratio = `sum(sum by (code) (${overDay(good)})) / sum(sum by (code) (${overDay('c')}))`

describe('good series that would be divided by themselves are divided by all', () => {
  test.each([
    [`sum by (code) (rate(${good}[5m])) / sum by (code) (rate(c[5m]))`, ratio],
    [
      `100 * sum by (code) (rate(${good}[5m])) / on (code) sum by (code) (rate(c[5m]))`,
      `100 * sum(sum by (code) (${overDay(good)})) / on (code) sum(sum by (code) (${overDay('c')}))`,
    ],
    [
      `1 - sum by (code, job) (rate(c{code="500"}[5m])) / ignoring (job) group_left sum by (code) (rate(c[5m]))`,
      `1 - sum(sum by (code, job) (${overDay('c{code="500"}')})) / ignoring (job) group_left sum(sum by (code) (${overDay('c')}))`,
    ],
    [
      `sum without (job) (rate(c{a="b",code=~"2.."}[5m])) / sum without (job) (rate(c{code!="",a="b"}[5m]))`,
      `sum(sum without (job) (${overDay('c{a="b",code=~"2.."}')})) / sum(sum without (job) (${overDay('c{code!="",a="b"}')}))`,
    ],
    [`rate(${good}[5m]) / rate(c[5m])`, `sum(${overDay(good)}) / sum(${overDay('c')})`],
  ])('%s', (written, sent) => {
    const { expression, rewriteNotes, notes, isRawQuantity } = plan(written)
    expect(expression(day)).toBe(sent)
    expect(isRawQuantity).toBe(false)
    expect(rewriteNotes).toEqual([
      'Both sides are matched by code, so that each series would be divided by itself, which is always 1: it is measured as the quotient of the sums. Put sum(…) around both sides.',
    ])
    expect(notes).toEqual(rewriteNotes)
  })
})

describe('what one side selects of a label that both are matched by is selected on both', () => {
  test.each([
    [
      'sum by (job) (rate(e{job="a"}[5m])) / sum by (job) (rate(c[5m]))',
      'sum by (job) (increase(e{job="a"}[86400s])) / sum by (job) (increase(c{job="a"}[86400s]))',
    ],
    [
      'sum by (job) (rate(e[5m])) / sum by (job) (rate(c{x="1",job=~"a|b"}[5m]))',
      'sum by (job) (increase(e{job=~"a|b"}[86400s])) / sum by (job) (increase(c{x="1",job=~"a|b"}[86400s]))',
    ],
    [
      'sum by (job) (rate(c{job="a",code="200"}[5m])) / sum by (job) (rate(c{}[5m]))',
      'sum by (job) (increase(c{job="a",code="200"}[86400s])) / sum by (job) (increase(c{job="a"}[86400s]))',
    ],
    [
      'sum by (job) (e_total{job="a"}) / sum by (job) (c_total)',
      'sum by (job) (increase(e_total{job="a"}[86400s])) / sum by (job) (increase(c_total{job="a"}[86400s]))',
    ],
  ])('%s', (written, sent) => expect(plan(written).expression(day)).toBe(sent))
})

describe('what is matched by no label that is selected stays as it is', () => {
  test.each([
    `sum(rate(${good}[5m])) / sum(rate(c[5m]))`,
    `sum by (job) (rate(${good}[5m])) / sum by (job) (rate(c[5m]))`,
    `sum by (code) (rate(${good}[5m])) / ignoring (code) group_left sum(rate(c[5m]))`,
    `sum by (code, job) (rate(${good}[5m])) / on (job) group_left sum by (job) (rate(c[5m]))`,
    `sum by (code) (rate(${good}[5m])) / scalar(sum(rate(c[5m])))`,
    `sum by (code) (label_replace(rate(${good}[5m]), "code", "all", "", "")) / sum by (code) (rate(c[5m]))`,
    `avg_over_time(sum by (code) (${good})[5m:1m]) / count(up)`,
  ])('%s', (written) => expect(plan(written)).toMatchObject({ stored: written, rewriteNotes: [] }))

  test('nor is a ratio of others assessed by it', () => {
    const made = plan(`sum by (code) (rate(ok{code="200"}[5m]) > bool 0) / sum by (code) (rate(c[5m]))`)
    expect(made.rewriteNotes).toEqual([])
  })
})

describe('buckets that are added up over le have no SLI, and say what mends it', () => {
  test.each([
    'sum(rate(x_bucket{le="0.3"}[5m])) / sum(rate(x_bucket[5m]))',
    'sum(rate(x_bucket[5m])) / sum(rate(x_count[5m]))',
    'x_bucket{le="0.3"} / x_bucket',
    '1 - sum by (le) (rate(x_bucket{le="0.3"}[5m])) / sum by (le) (rate(x_bucket[5m]))',
  ])('%s', (written) => {
    const made = plan(written)
    expect(made.isRawQuantity).toBe(true)
    expect(made.notes[0]).toBe(
      'Each bucket of x_bucket holds the events of the buckets below it, so that their sum counts events several times. Select one with le="…"; for all events, read x_count, or le="+Inf".',
    )
  })

  test.each([
    'sum(rate(x_bucket{le="0.3"}[5m])) / sum(rate(x_bucket{le="+Inf"}[5m]))',
    'sum(rate(x_bucket{le="0.3"}[5m])) / ignoring (le) sum(rate(x_count[5m]))',
    'histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m]))) / 2',
  ])('but not in %s', (written) => expect(plan(written).problem).toBeNull())
})
