import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { parseExposition } from './parse-exposition.ts'
import { contentTypes } from './scraped.ts'

const text = (body: string) => parseExposition(body, { contentType: null })
const openMetrics = (body: string) => parseExposition(body, { contentType: contentTypes.openmetrics })

/** Details of the error. */
function complaint(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof AppError) return `${error.kind}, ${error.details}`
    throw error
  }
  return 'none'
}

test('a line of the text format is a sample', () => {
  const { samples } = text('http_requests_total{method="post",code="200"} 1027 1395066363000\n')
  expect(samples.map(({ labels, value, timestampMs }) => ({ labels, value, timestampMs }))).toEqual([
    {
      labels: [
        ['__name__', 'http_requests_total'],
        ['code', '200'],
        ['method', 'post'],
      ],
      value: 1027,
      timestampMs: 1395066363000,
    },
  ])
})

test.each([
  ['a{l="x"} 1 # any', 'line 1: expected a timestamp in whole milliseconds, found "# any"'],
  ['a 1\n\nb{l="x} 1\nc 1', 'line 3: expected a label value that ends, found "\\"x} 1"'],
  ['a 1\nb{l=x} 1', 'line 2: expected a label value in double quotes, found "x} 1"'],
  ['a{l="x"', 'line 1: expected a label name, found its end'],
  ['a{l="x\ny"} nothing', 'line 2: expected a number, found "nothing"'],
  ['a', 'line 1: expected a number, found its end'],
  ['a 1 2 3', 'line 1: expected the end of the line, found "3"'],
  ['a 1\n  b 2', 'line 2: expected a sample at the start of the line, found "  b 2"'],
  ['{l="x"} 1', 'line 1: expected a metric name, found "{l=\\"x\\"} 1"'],
  ['a{"b"} 1', 'line 1: expected each label once, found "\\"b\\"} 1"'],
  ['# TYPE a counters', 'line 1: expected one of counter, gauge, histogram, summary, untyped, found " counters"'],
  ['a{l="x",l="y"} 1', 'line 1: expected each label once, found "l=\\"y\\"} 1"'],
  ['é 1', 'line 1: expected a metric name, found "é 1"'],
  ['\u0000', 'line 1: expected a metric name, found "\\u0000"'],
])('%j is refused: %s', (body, details) => {
  expect(complaint(() => text(body))).toBe(`invalid, ${details}`)
})

test.each([
  ['a 1\n', 'line 2: expected "# EOF", found its end'],
  ['# EOF\na 1\n', 'line 2: expected nothing after "# EOF", found "a 1"'],
  ['a 1\n\n# EOF\n', 'line 2: expected a metric name, found its end'],
  ['a  1\n# EOF\n', 'line 1: expected a space and a number, found "  1"'],
  ['a 1 NaN\n# EOF\n', 'line 1: expected a space and a timestamp in seconds, found " NaN"'],
  ['# any\n# EOF\n', 'line 1: expected "# HELP ", "# TYPE ", "# UNIT " or "# EOF", found "# any"'],
  ['# UNIT a seconds\n# EOF\n', 'line 1: expected a unit that ends the name, found "seconds"'],
  ['a{l="x",,} 1\n# EOF\n', 'line 1: expected a label name, found ",} 1"'],
])('OpenMetrics %j is refused: %s', (body, details) => {
  expect(complaint(() => openMetrics(body))).toBe(`invalid, ${details}`)
})

test('a line that is not UTF-8 is reported by its number, and allowed in a free comment', () => {
  const bytes = (body: string) => () => parseExposition(Buffer.from(body, 'latin1'), { contentType: null })
  expect(complaint(bytes('# g\xfcnther\na{l="\xfc"} 1'))).toBe(
    'invalid, line 2: expected valid UTF-8, found other bytes',
  )
  expect(complaint(bytes('# g\xfcnther\na 1'))).toBe('none')
})

test.each([
  [null, 'text'],
  ['', 'text'],
  ['text/plain; version=0.0.4', 'text'],
  ['application/json', 'text'],
  ['application/openmetrics-text', 'OpenMetrics'],
  ['Application/OpenMetrics-Text ; version=0.0.1', 'OpenMetrics'],
])('content type %j is read as %s', (contentType, format) => {
  const { samples } = parseExposition('a 1 2\n# EOF\n', { contentType })
  expect(samples[0]?.timestampMs).toBe(format === 'text' ? 2 : 2000)
})

test('metadata are the last ones of each family, unescaped', () => {
  const said = '# TYPE a counter\n# HELP a x\\\\y\\nz\\"\n# TYPE a gauge\n# TYPE b untyped\n# HELP b \n# UNIT c s'
  expect([...text(said).metadata]).toEqual([
    ['a', { type: 'gauge', help: 'x\\y\nz\\"' }],
    ['b', { type: 'unknown', help: '' }],
  ])
  expect([...openMetrics('# HELP a_s x\\"y\n# UNIT a_s s\n# TYPE b stateset\n# EOF').metadata]).toEqual([
    ['a_s', { help: 'x"y', unit: 's' }],
    ['b', { type: 'stateset' }],
  ])
})

test('series of histograms, their _created and samples that come twice are all handed on, in order', () => {
  const { samples } = openMetrics('h_bucket{le="1"} 1 # {t="2"} 0.5 1\nh_created 5\nh_created 6 1.0009\n# EOF\n')
  expect(samples.map(({ value, timestampMs }) => [value, timestampMs])).toEqual([
    [1, undefined],
    [5, undefined],
    [6, 1000],
  ])
})

test('what is too much of anything is refused', () => {
  const limits = { samples: 2, labels: 3, labelNameLength: 4, labelValueLength: 5 }
  const limited = (body: string) => complaint(() => parseExposition(body, { contentType: null, limits }))
  expect(limited('abcde{abcd="12345",b="1"} 1\na 2')).toBe('none')
  expect(limited('a 1\na 2\na 3')).toBe('too_large, must be at most 2 samples')
  expect(limited('a{a="1",b="1",c="1"} 1')).toBe('invalid, line 1: expected at most 3 labels, found "c=\\"1\\"} 1"')
  expect(limited('a{abcde="1"} 1')).toContain('expected a label name of at most 4 characters')
  expect(limited('a{a="123456"} 1')).toContain('expected a value of at most 5 characters')
  expect(limited(`a{${'a="",'.repeat(9)}} 1`)).toContain('expected each label once')
})
