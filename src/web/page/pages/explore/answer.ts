/** Unix seconds, and the value as text: numbers, `NaN`, `+Inf`, `-Inf`. */
export type Point = [seconds: number, value: string]
/**
 * Bucket of a native histogram. The first number is the boundary rule: 0 open left, 1 open right, 2 open both, 3 closed both.
 */
export type Bucket = [rule: 0 | 1 | 2 | 3, lower: string, upper: string, count: string]
export type Histogram = { count: string; sum: string; buckets?: Bucket[] }
export type HistogramPoint = [seconds: number, histogram: Histogram]
export type Labels = Record<string, string>

export type Sample = { metric: Labels; value?: Point; histogram?: HistogramPoint }
export type Series = { metric: Labels; values?: Point[]; histograms?: HistogramPoint[] }

/** `data` of a response of `query` and `query_range`, in the format of Prometheus. */
export type Data =
  | { resultType: 'vector'; result: Sample[] }
  | { resultType: 'matrix'; result: Series[] }
  | { resultType: 'scalar' | 'string'; result: Point }

export type Answered = { data: Data; warnings?: string[]; infos?: string[] }

/** Matcher of a label in PromQL. */
export type Matcher = { label: string; op: '=' | '!=' | '=~'; value: string }

/** Matcher as text of PromQL: `job="node"`. */
export function matcherText({ label, op, value }: Matcher): string {
  return `${/^[a-zA-Z_]\w*$/.test(label) ? label : quoted(label)}${op}${quoted(value)}`
}

/** Labels of a series for PromQL: the text before the matchers (`prefix`), each matcher, and the text after them (`suffix`). */
export function seriesParts({ __name__: name = '', ...labels }: Labels) {
  const matchers = Object.entries(labels).map(([label, value]): Matcher => ({ label, op: '=', value }))
  const isPlain = /^[a-zA-Z_:][\w:]*$/.test(name)
  if (isPlain && matchers.length === 0) return { prefix: name, matchers, suffix: '' }
  const quotedName = isPlain || name === '' ? [] : [quoted(name)]
  const prefix = `${isPlain ? name : ''}{${quotedName.join('')}${quotedName.length > 0 && matchers.length > 0 ? ', ' : ''}`
  return { prefix, matchers, suffix: '}' }
}

/** Series with its labels in PromQL: `up{job="node"}`; `{}` without labels. */
export function seriesName(labels: Labels): string {
  const { prefix, matchers, suffix } = seriesParts(labels)
  return `${prefix}${matchers.map(matcherText).join(', ')}${suffix}`
}

/** String literal of PromQL; invisible characters and those that change the writing direction are escaped. */
function quoted(text: string): string {
  const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escaped)
}

/** Number of series and samples in a response. */
export function sizeOf(data: Data): { series: number; samples: number } {
  if (data.resultType === 'vector') return { series: data.result.length, samples: data.result.length }
  if (data.resultType !== 'matrix') return { series: 1, samples: 1 }
  const samples = data.result.reduce((sum, { values, histograms }) => sum + lengthOf(values) + lengthOf(histograms), 0)
  return { series: data.result.length, samples }
}

export function lengthOf(points: readonly unknown[] | undefined): number {
  return points?.length ?? 0
}

/** A sample value as a number; NaN if it is none. */
export function numberOf(value: string): number {
  if (value === '+Inf' || value === 'Inf') return Infinity
  return value === '-Inf' ? -Infinity : Number(value)
}

/** A bucket as an interval: `(0.5, 1]`. */
export function intervalOf([rule, lower, upper]: Bucket): string {
  return `${rule === 1 || rule === 3 ? '[' : '('}${lower}, ${upper}${rule === 0 || rule === 3 ? ']' : ')'}`
}
