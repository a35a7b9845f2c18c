import { describe, expect, test } from 'bun:test'
import { fillPlaceholders, gluedPlaceholders, readTemplate } from '../../../src/promql/analysis/placeholders.ts'
import { childrenOf } from '../../../src/promql/syntax.ts'

describe('a placeholder becomes the window', () => {
  test.each([
    ['rate(x[$window])', 'rate(x[86400s])'],
    ['rate(x[${window}])', 'rate(x[86400s])'],
    ['rate(x[${ window }])', 'rate(x[86400s])'],
    ['rate(x[{{window}}])', 'rate(x[86400s])'],
    ['rate(x[{{ window }}])', 'rate(x[86400s])'],
    ['rate(x[{{.window}}])', 'rate(x[86400s])'],
    ['rate(x[{{ .window\t}}])', 'rate(x[86400s])'],
    ['rate(x[window])', 'rate(x[86400s])'],
    ['rate(x[ window ])', 'rate(x[86400s])'],
    ['rate(x[$__range])', 'rate(x[86400s])'],
    ['max_over_time(x[$window:1m])', 'max_over_time(x[86400s:1m])'],
    ['rate(x[$window] offset $window)', 'rate(x[86400s] offset 86400s)'],
    ['sum(rate(a[$window])) / sum(rate(b[window]))', 'sum(rate(a[86400s])) / sum(rate(b[86400s]))'],
    ['count_eq_over_time(x[$window], 1) default 0', 'count_eq_over_time(x[86400s], 1) default 0'],
  ])('%s', (stored, sent) => {
    expect(readTemplate(stored).placeholders.length > 0).toBe(true)
    expect(fillPlaceholders(stored, 86_400)).toBe(sent)
  })
})

describe('what only looks like one stays as it is', () => {
  test.each([
    'rate(x[$windows])',
    'rate(x[$window_s])',
    'rate(x[$__range_s])',
    'rate(x[$__range_ms])',
    'rate(x[$__rate_interval])',
    'rate(x[$Window])',
    'rate(x[{{ windows }}])',
    'rate(x[${window)])',
    'sum(window)',
    'x{a="[window]", b=\'$window\', c=`{{window}}`}',
    'x{a="\\"$window"}',
    'x # [window] $window',
    'x default "$window" # {{.window}}',
    'rate(x[5m])',
    '',
  ])('%s', (stored) => {
    expect(readTemplate(stored).placeholders.length > 0).toBe(false)
    expect(fillPlaceholders(stored, 86_400)).toBe(stored)
  })
})

test('those in strings and comments stay as written beside others that do not', () => {
  const stored = '# $window\nrate(x{a="$window # "}[$window]) # [window]\n/ rate(x[window])'
  expect(fillPlaceholders(stored, 300)).toBe('# $window\nrate(x{a="$window # "}[300s]) # [window]\n/ rate(x[300s])')
})

test('a comment may end before a placeholder, and a string hold a comment sign', () => {
  expect(fillPlaceholders('x{a="#"}[$window] # "\n- y[$window]', 60)).toBe('x{a="#"}[60s] # "\n- y[60s]')
})

test('the offsets of the tree are those of the text as stored', () => {
  const { root, text } = readTemplate('sum(rate(a[{{ .window }}])) / sum(b)')
  expect(root && childrenOf(root).map(({ from, to }) => text.slice(from, to))).toEqual([
    'sum(rate(a[{{ .window }}]))',
    'sum(b)',
  ])
})

test.each([
  ['slo:error:ratio_rate{{.window}}', 1],
  ['slo:error:rate$window', 1],
  ['$window:rate', 1],
  ['rate(x[$window])', 0],
  ['rate(x[window])', 0],
  ['x offset $window', 0],
] as const)('in %p, %p placeholders are part of a name', (stored, count) => {
  expect(gluedPlaceholders(readTemplate(stored))).toHaveLength(count)
})
