/** Kind of a metric, as far as its name depends on it. */
export type NamedKind = 'counter' | 'gauge' | 'other'

/** Words for units of UCUM: https://github.com/prometheus/otlptranslator */
const units = new Map(
  Object.entries({
    d: 'days',
    h: 'hours',
    min: 'minutes',
    s: 'seconds',
    ms: 'milliseconds',
    us: 'microseconds',
    ns: 'nanoseconds',
    By: 'bytes',
    KiBy: 'kibibytes',
    MiBy: 'mebibytes',
    GiBy: 'gibibytes',
    TiBy: 'tibibytes',
    KBy: 'kilobytes',
    MBy: 'megabytes',
    GBy: 'gigabytes',
    TBy: 'terabytes',
    m: 'meters',
    V: 'volts',
    A: 'amperes',
    J: 'joules',
    W: 'watts',
    g: 'grams',
    Cel: 'celsius',
    Hz: 'hertz',
    '1': '',
    '%': 'percent',
  }),
)
const perUnits = new Map(
  Object.entries({ s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', mo: 'month', y: 'year' }),
)

/**
 * Name of a metric as Prometheus gives it with `UnderscoreEscapingWithSuffixes`: words joined by underscores, then the unit, then `total`
 * or `ratio`. Empty if nothing of the name is left.
 */
export function metricName(name: string, unit: string, kind: NamedKind): string {
  const words = name.split(/[^a-zA-Z0-9:]+/).filter((word) => word !== '')
  const slash = unit.indexOf('/')
  const main = unitWord(slash < 0 ? unit : unit.slice(0, slash), units)
  const per = slash < 0 ? '' : unitWord(unit.slice(slash + 1), perUnits)
  const added = [per === '' ? main : main.replace(/_+$/, ''), per && `per_${per.replace(/_+$/, '')}`].filter(
    (word) => word !== '' && !words.includes(word),
  )
  const all = [...words, ...added]
  if (kind === 'counter') return joined([...all.filter((word) => word !== 'total'), 'total'])
  if (kind === 'gauge' && unit === '1') return joined([...all.filter((word) => word !== 'ratio'), 'ratio'])
  return joined(all)
}

function joined(words: string[]): string {
  const name = words.join('_')
  return /^\d/.test(name) ? `_${name}` : name
}

function unitWord(text: string, known: ReadonlyMap<string, string>): string {
  const unit = text.trim()
  if (unit === '' || /[{}]/.test(unit)) return ''
  return (known.get(unit) ?? unit).replace(/[^a-zA-Z0-9:]+/gu, '_').replace(/^_+/, '')
}

/** Name of a label for the key of an attribute. */
export function labelName(key: string): string {
  const name = key.replace(/[^a-zA-Z0-9_]/gu, '_')
  if (/^\d/.test(name)) return `key_${name}`
  return /^_(?!_)/.test(name) ? `key${name}` : name
}

/** Decimal text of a number, never with an exponent, for the labels `le` and `quantile`. */
export function decimalText(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  const [digits = '', exponent] = String(Math.abs(value)).split('e')
  if (exponent === undefined) return String(value)
  const [whole = '', fraction = ''] = digits.split('.')
  const all = whole + fraction
  const point = whole.length + Number(exponent)
  const text =
    point <= 0
      ? `0.${'0'.repeat(-point)}${all}`
      : all.padEnd(point, '0').slice(0, point) + (all.length > point ? `.${all.slice(point)}` : '')
  return value < 0 ? `-${text}` : text
}
