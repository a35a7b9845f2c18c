export const operators = ['=', '!=', '=~', '!~'] as const
export type Operator = (typeof operators)[number]

/** Label matcher of a selector: `code=~"5.."`. */
export type Filter = { label: string; op: Operator; value: string }
export type Selector = { metric: string; filters: Filter[] }

const plainMetric = /^[a-zA-Z_:][\w:]*$/
const plainLabel = /^[a-zA-Z_]\w*$/

/** Selector in PromQL; names with characters beyond letters, digits and `_` are quoted. */
export function writeSelector({ metric, filters }: Selector): string {
  const matchers = filters.map(writeFilter)
  if (plainMetric.test(metric)) return matchers.length > 0 ? `${metric}{${matchers.join(', ')}}` : metric
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

/**
 * Parser for the parts of PromQL that the form writes; it skips white space. Its methods return null or false and consume
 * nothing if something else follows.
 */
export class Reader {
  private at = 0
  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    this.skip()
    return this.at === this.text.length
  }

  take(piece: string): boolean {
    this.skip()
    if (!this.text.startsWith(piece, this.at)) return false
    this.at += piece.length
    return true
  }

  match(pattern: RegExp): string | null {
    this.skip()
    const sticky = new RegExp(pattern.source, 'y')
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)?.[0]
    if (found === undefined) return null
    this.at += found.length
    return found
  }

  /** Result of `read`; if it is null, nothing is consumed. */
  try<T>(read: () => T | null): T | null {
    const before = this.at
    const found = read()
    if (found === null) this.at = before
    return found
  }

  string(): string | null {
    const text = this.match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/)
    return text === null ? null : unquote(text)
  }

  selector(): Selector | null {
    return this.try(() => {
      const name = this.match(/[a-zA-Z_:][\w:]*/)
      const inside = this.take('{') ? this.matchers() : []
      if (inside === null || (name === null && inside.length === 0)) return null
      const quoted = inside.filter((one) => typeof one === 'string')
      const filters = inside.filter((one) => typeof one !== 'string')
      if (quoted.length + (name === null ? 0 : 1) > 1 || filters.some(({ label }) => label === '__name__')) return null
      return { metric: name ?? quoted[0] ?? '', filters }
    })
  }

  /** Matchers up to the closing brace; a text is a quoted metric name. */
  private matchers(): (Filter | string)[] | null {
    const found: (Filter | string)[] = []
    for (;;) {
      if (this.take('}')) return found
      const plain = this.match(/[a-zA-Z_]\w*/)
      const label = plain ?? this.string()
      if (label === null) return null
      const op = this.match(/=~|!~|!=|=/) as Operator | null
      if (op === null) {
        if (plain !== null) return null
        found.push(label)
      } else {
        const value = this.string()
        if (value === null) return null
        found.push({ label, op, value })
      }
      if (!this.take(',') && !this.isBefore('}')) return null
    }
  }

  private isBefore(piece: string): boolean {
    this.skip()
    return this.text.startsWith(piece, this.at)
  }

  private skip(): void {
    while (/\s/.test(this.text.charAt(this.at))) this.at++
  }
}

/** Null if there is an escape other than the simple ones of `quote` and `\'`. */
function unquote(text: string): string | null {
  if (text.startsWith('`')) return text.slice(1, -1)
  const signs: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', "'": "'" }
  let isKnown = true
  const plain = text.slice(1, -1).replace(/\\(.)/g, (_, sign: string) => {
    isKnown &&= sign in signs
    return signs[sign] ?? ''
  })
  return isKnown ? plain : null
}
