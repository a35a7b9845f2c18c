import { charCodes, type Cursor, expectChar, readName, refused, skipBlanks } from './cursor.ts'
import { asBound } from './number.ts'
import type { ExpositionLimits, Label } from './sample.ts'

/**
 * `loose`: text format, with blanks anywhere, optional commas, and line breaks in values. `type`: in the last TYPE. Prometheus
 * 3 writes the label of a bound of a histogram or summary in one form, `1.0`.
 */
type Grammar = { loose: boolean; keepEmpty?: boolean | undefined; type?: string | undefined; limits: ExpositionLimits }

const { newline, quote, comma, equals, backslash, openBrace, closeBrace } = charCodes

/** Reads a metric name and its labels; a name in quotes is among the labels. */
export function readSeries(cursor: Cursor, grammar: Grammar): Label[] {
  const labels: Label[] = []
  const start = cursor.at
  const isQuoted = cursor.text.charCodeAt(start) === openBrace
  if (!isQuoted) addLabel(cursor, labels, ['__name__', readName(cursor, 'metric')], start, grammar.limits)
  if (grammar.loose) skipBlanks(cursor)
  if (cursor.text.charCodeAt(cursor.at) === openBrace) {
    cursor.at += 1
    const name = readLabels(cursor, grammar, labels)
    if (isQuoted && !name) throw refused(cursor, 'a metric name', start)
  }
  return !grammar.keepEmpty && labels.some(isEmpty) ? labels.filter((label) => !isEmpty(label)) : labels
}

/** Prometheus treats an empty value as a missing label. */
function isEmpty([, value]: Label): boolean {
  return value === ''
}

/**
 * Reads up to and including the closing brace, and returns the metric name between the braces, if any. Adds the labels sorted
 * by name, including empty ones; without `labels` it only validates.
 */
export function readLabels(cursor: Cursor, grammar: Grammar, labels?: Label[]): string | undefined {
  const { loose, type, limits } = grammar
  let metric: string | undefined
  for (;;) {
    if (loose) skipBlanks(cursor)
    if (cursor.text.charCodeAt(cursor.at) === closeBrace) break
    const start = cursor.at
    const isQuoted = cursor.text.charCodeAt(start) === quote
    const name = isQuoted ? readQuoted(cursor, true, 'a name that ends') : readName(cursor, 'label')
    if (loose) skipBlanks(cursor)
    if (isQuoted && labels && isEndOfName(cursor)) {
      addLabel(cursor, labels, ['__name__', name], start, limits)
      metric = name
    } else {
      if (name === '') throw refused(cursor, 'a label name', start)
      expectChar(cursor, equals, '"="')
      if (loose) skipBlanks(cursor)
      if (cursor.text.charCodeAt(cursor.at) !== quote) throw refused(cursor, 'a label value in double quotes')
      const value = readQuoted(cursor, loose, 'a label value that ends')
      if (labels) addLabel(cursor, labels, [name, valueOf(name, value, type)], start, limits)
      if (loose) skipBlanks(cursor)
    }
    if (cursor.text.charCodeAt(cursor.at) === comma) cursor.at += 1
    else if (!loose && cursor.text.charCodeAt(cursor.at) !== closeBrace) throw refused(cursor, '"," or "}"')
  }
  cursor.at += 1
  return metric
}

/** Reads the name after HELP, TYPE or UNIT. */
export function readFamilyName(cursor: Cursor): string {
  const isQuoted = cursor.text.charCodeAt(cursor.at) === quote
  return isQuoted ? readQuoted(cursor, true, 'a name that ends') : readName(cursor, 'metric')
}

function isEndOfName({ text, at }: Cursor): boolean {
  const code = text.charCodeAt(at)
  return code === comma || code === closeBrace
}

function valueOf(name: string, value: string, type?: string): string {
  const isBound = (type === 'histogram' && name === 'le') || (type === 'summary' && name === 'quantile')
  return isBound ? asBound(value) : value
}

/** `loose`: line breaks are allowed. */
function readQuoted(cursor: Cursor, loose: boolean, expected: string): string {
  const { text } = cursor
  const opening = cursor.at
  let escaped = false
  for (let at = opening + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      cursor.at = at + 1
      const value = text.slice(opening + 1, at)
      return escaped ? unescapeLabel(value) : value
    }
    if (code === backslash) {
      escaped = true
      at += 1
      if (text.charCodeAt(at) === newline) break
    } else if (code === newline && !loose) break
  }
  throw refused(cursor, expected, opening)
}

/** Unescapes `\"`, `\\` and `\n`; any other escape stays unchanged. */
export function unescapeLabel(value: string): string {
  return value.replace(/\\(["\\n])/g, (_, char) => (char === 'n' ? '\n' : char))
}

/** Inserts a label by name; cheap, because labels are few and usually sorted already. */
function addLabel(cursor: Cursor, labels: Label[], label: Label, from: number, limits: ExpositionLimits): void {
  const [name, value] = label
  if (name.length > limits.labelNameLength && name !== '__name__') {
    throw refused(cursor, `a label name of at most ${limits.labelNameLength} characters`, from)
  }
  if (value.length > limits.labelValueLength) {
    throw refused(cursor, `a value of at most ${limits.labelValueLength} characters`, from)
  }
  if (labels.length >= limits.labels) throw refused(cursor, `at most ${limits.labels} labels`, from)
  let at = labels.length
  for (; at > 0; at -= 1) {
    const before = labels[at - 1]?.[0] ?? ''
    if (before < name) break
    if (before === name) throw refused(cursor, 'each label once', from)
  }
  if (at === labels.length) labels.push(label)
  else labels.splice(at, 0, label)
}
