export const operators = ['=', '!=', '=~', '!~'] as const
export type Operator = (typeof operators)[number]

/** Label matcher of a selector: `code=~"5.."`. */
export type Filter = { label: string; op: Operator; value: string }
export type Selector = { metric: string; filters: Filter[] }

const plainMetric = /^[a-zA-Z_:][\w:]*$/
/** Keywords of PromQL, in any case, that are no metric where they stand alone. */
const keyword = /^(?:bool|group_left|group_right|ignoring|inf|nan|offset|on)$/i
const plainLabel = /^[a-zA-Z_]\w*$/

/** Selector in PromQL; names with characters beyond letters, digits and `_`, and metrics named as a keyword, are quoted. */
export function writeSelector({ metric, filters }: Selector): string {
  const matchers = filters.map(writeFilter)
  if (plainMetric.test(metric) && !keyword.test(metric))
    return matchers.length > 0 ? `${metric}{${matchers.join(', ')}}` : metric
  return `{${[...(metric === '' ? [] : [quote(metric)]), ...matchers].join(', ')}}`
}

export function writeFilter({ label, op, value }: Filter): string {
  return `${plainLabel.test(label) ? label : quote(label)}${op}${quote(value)}`
}

/** PromQL string in double quotes. */
function quote(text: string): string {
  const signs: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  return `"${text.replace(/[\\"\n\r\t]/g, (sign) => signs[sign] ?? sign)}"`
}
