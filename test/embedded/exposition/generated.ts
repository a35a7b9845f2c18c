import * as fc from 'fast-check'

export type Format = 'text' | 'openmetrics'

/** Chosen so that a one-character change mostly still gives an interesting case. */
const names = ['a', 'b_total', 'c_bucket', 'd:e', '_f', 'G9', 'h_created']
const labelNames = ['l', 'code', '_x', 'le', 'quantile', '__p', 'Z1']
const goodValues = [
  '0',
  '-0',
  '1',
  '1027',
  '1.5',
  '.5',
  '5.',
  '-2e-3',
  '1E+9',
  '9007199254740993',
  '1e-400',
  'NaN',
  '+Inf',
]
const badValues = ['1e400', 'nan', '-inf', 'Infinity', '+NaN', '0x1p-2', '0x10', '1_000', 'abc', '', '1e', '--1', '٣']
const labelValues = [
  '',
  'x',
  '200',
  '0.99',
  '+Inf',
  'ä😀',
  '\\"',
  '\\\\',
  '\\n',
  '\\x',
  'a b',
  '{},=',
  '#',
  '\t',
  '\r',
  '\u0000',
]
const brokenPieces = [
  '"',
  '{',
  '}',
  ',',
  '=',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '#',
  '# ',
  '\\',
  '1',
  'x',
  '-',
  '.',
  'é',
  '"" ',
  ':',
]

const oneOf = (all: readonly string[]) => fc.constantFrom(...all)
const mostly = (usual: string, ...others: string[]) =>
  fc.oneof({ weight: 24, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf([usual, ...others]) })

const labels = (format: Format) => {
  const gap = format === 'text' ? mostly('', ' ', '\t') : mostly('', ' ')
  const label = fc.tuple(oneOf(labelNames), gap, mostly('=', '', '=='), gap, oneOf(labelValues), gap)
  const written = label.map(
    ([name, one, equals, two, value, three]) => `${name}${one}${equals}${two}"${value}"${three}`,
  )
  const all = fc.tuple(fc.array(written, { maxLength: 3 }), mostly(',', ' ', ',,', ''), mostly('', ','))
  return fc.oneof(
    fc.constant(''),
    all.map(([some, comma, last]) => `{${some.join(comma)}${last}}`),
  )
}

/** A sample up to ten minutes before `now` (Unix seconds). */
const sample = (format: Format, now: number) => {
  const ago = fc.integer({ min: 0, max: 600_000 })
  const time = ago.map((ms) => (format === 'text' ? String(now * 1000 - ms) : ((now * 1000 - ms) / 1000).toFixed(3)))
  const value = fc.oneof({ weight: 12, arbitrary: oneOf(goodValues) }, { weight: 1, arbitrary: oneOf(badValues) })
  const exemplar = oneOf([' # {} 1', ' # {t="1"} 0.5 12.5', ' # {t="1",} 1', ' # {t=1} 1', ' # {t="1"}', ' #'])
  return fc
    .tuple(
      oneOf(names),
      labels(format),
      mostly(' ', '', '  ', '\t'),
      value,
      fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 2, arbitrary: time.map((one) => ` ${one}`) }),
      fc.oneof(
        { weight: format === 'text' ? 60 : 8, arbitrary: mostly('', ' ', '\r') },
        { weight: 1, arbitrary: exemplar },
      ),
    )
    .map((parts) => parts.join(''))
}

const comment = (format: Format) => {
  const keyword = format === 'text' ? mostly('TYPE', 'HELP', 'UNIT', 'TYPES') : mostly('TYPE', 'HELP', 'UNIT')
  const type = oneOf(['counter', 'gauge', 'histogram', 'summary', format === 'text' ? 'untyped' : 'stateset'])
  const rest = fc.oneof(
    { weight: 12, arbitrary: type },
    { weight: 1, arbitrary: oneOf(['', 'a\\nb', ' gauge', 'info']) },
  )
  return fc
    .tuple(mostly('# ', '#', '#\t', ' # '), keyword, mostly(' ', '\t', '  '), oneOf(names), mostly(' ', '\t', ''), rest)
    .map((parts) => parts.join(''))
}

/** An exposition that is valid or nearly valid. */
export function exposition(format: Format, now: number): fc.Arbitrary<string> {
  const line = fc.oneof(
    { weight: 10, arbitrary: sample(format, now) },
    { weight: 3, arbitrary: comment(format) },
    { weight: format === 'text' ? 1 : 0, arbitrary: oneOf(['', ' ', '# any', '#', '# HELP']) },
  )
  const end = format === 'text' ? mostly('\n', '', '\n\n') : mostly('\n# EOF\n', '\n# EOF', '', '\n', '\n# EOF\n\n')
  const whole = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 5 }), end)
    .map(([lines, last]) => lines.join('\n') + last)
  const broken = fc.tuple(whole, fc.nat(), fc.nat({ max: 2 }), oneOf(brokenPieces)).map(([text, at, gone, piece]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + piece + text.slice(place + gone)
  })
  return fc.oneof(whole, broken)
}
