import { charCodes, type Cursor, expectChar, readName, refused, skipBlanks } from './cursor.ts'
import type { ExpositionLimits, Label } from './sample.ts'

/** `loose`: the text format, with blanks anywhere, commas that may lack or trail, and line breaks in values. */
type Grammar = { loose: boolean; keepEmpty?: boolean | undefined; limits: ExpositionLimits }

const metricLabel = '__name__'
const { newline, quote, comma, equals, backslash, openBrace, closeBrace } = charCodes

/** Moves over a metric name and the labels behind it; a name in quotes is among them: `{"a.b",c="d"}`. */
export function readSeries(cursor: Cursor, grammar: Grammar): Label[] {
  const labels: Label[] = []
  const start = cursor.at
  const isInside = cursor.text.charCodeAt(start) === openBrace
  if (!isInside) addLabel(cursor, labels, [metricLabel, readName(cursor, 'metric')], start, grammar.limits)
  if (grammar.loose) skipBlanks(cursor)
  if (cursor.text.charCodeAt(cursor.at) === openBrace) {
    cursor.at += 1
    const hasName = readLabels(cursor, grammar, labels)
    if (isInside && !hasName) throw refused(cursor, 'a metric name', start)
  }
  return !grammar.keepEmpty && labels.some(isEmpty) ? labels.filter((label) => !isEmpty(label)) : labels
}

/** To Prometheus an empty value is no label. */
function isEmpty([, value]: Label): boolean {
  return value === ''
}

/**
 * Moves behind the closing brace. Adds the labels in order of name, empty ones too; without `labels` it only checks. Whether
 * there was a metric name in quotes.
 */
export function readLabels(cursor: Cursor, grammar: Grammar, labels?: Label[]): boolean {
  const { loose, limits } = grammar
  let hasName = false
  let isBehindLabel = false
  for (;;) {
    if (loose) skipBlanks(cursor)
    if (cursor.text.charCodeAt(cursor.at) === closeBrace) break
    if (!loose && isBehindLabel) expectChar(cursor, comma, '"," or "}"')
    const start = cursor.at
    const isQuoted = cursor.text.charCodeAt(cursor.at) === quote
    const name = isQuoted ? readQuotedName(cursor, loose) : readName(cursor, 'label')
    if (loose) skipBlanks(cursor)
    if (isQuoted && labels && cursor.text.charCodeAt(cursor.at) !== equals) {
      addLabel(cursor, labels, [metricLabel, name], start, limits)
      hasName = true
      if (cursor.text.charCodeAt(cursor.at) === closeBrace) break
      expectChar(cursor, comma, '"=", "," or "}"')
      isBehindLabel = false
      continue
    }
    expectChar(cursor, equals, '"="')
    if (loose) skipBlanks(cursor)
    const value = readValue(cursor, loose)
    if (labels) addLabel(cursor, labels, [name, value], start, limits)
    isBehindLabel = true
    if (!loose) continue
    skipBlanks(cursor)
    if (cursor.text.charCodeAt(cursor.at) === comma) cursor.at += 1
  }
  cursor.at += 1
  return hasName
}

/** Moves over the name of a metric, in quotes or not. */
export function readFamilyName(cursor: Cursor, loose: boolean): string {
  const isQuoted = cursor.text.charCodeAt(cursor.at) === quote
  return isQuoted ? readQuotedName(cursor, loose) : readName(cursor, 'metric')
}

function readQuotedName(cursor: Cursor, loose: boolean): string {
  const start = cursor.at
  const name = readValue(cursor, loose)
  if (name === '') throw refused(cursor, 'a name that is not empty', start)
  return name
}

function readValue(cursor: Cursor, loose: boolean): string {
  const { text } = cursor
  const opening = cursor.at
  expectChar(cursor, quote, 'a label value in double quotes')
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
  throw refused(cursor, 'a label value that ends', opening)
}

/** Other escapes than these three mean themselves. */
export function unescapeLabel(value: string): string {
  return value.replace(/\\(["\\n])/g, (_, char) => (char === 'n' ? '\n' : char))
}

/** By insertion: they are few, and mostly in order already. */
function addLabel(cursor: Cursor, labels: Label[], label: Label, from: number, limits: ExpositionLimits): void {
  const [name, value] = label
  if (name.length > limits.labelNameLength && name !== metricLabel) {
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
