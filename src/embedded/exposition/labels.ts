import { charCodes, type Cursor, expectChar, readName, syntaxError, skipBlanks, skipName } from './cursor.ts'
import { formatBound } from './number.ts'
import type { ExpositionLimits, Label } from './sample.ts'

/**
 * Rules for reading a series. `isOpenMetrics`: OpenMetrics; the text format allows blanks anywhere, optional commas, and line breaks in
 * label values. `type`: of the last TYPE, if its series have bounds as labels (`le`, `quantile`): Prometheus 3 writes those in one form, `1.0`.
 */
export type Grammar = { readonly isOpenMetrics: boolean; readonly type: 'histogram' | 'summary' | undefined }

const grammars: readonly Grammar[] = [false, true].flatMap((isOpenMetrics) =>
  ([undefined, 'histogram', 'summary'] as const).map((type) => ({ isOpenMetrics, type })),
)

/** Interned grammar: the same object for equal arguments. */
export function grammarOf(isOpenMetrics: boolean, type: string | undefined): Grammar {
  const [plain, ...others] = grammars.filter((one) => one.isOpenMetrics === isOpenMetrics)
  return others.find((one) => one.type === type) ?? plain ?? { isOpenMetrics, type: undefined }
}

/** `keepEmpty`: keeps labels without a value, which with `honor_labels` suppress the target's label of that name. */
export type SeriesOptions = { keepEmpty: boolean; limits: ExpositionLimits }

const { newline, quote, comma, equals, backslash, openBrace, closeBrace } = charCodes

/**
 * Reads a metric name and its labels, which are sorted by name; a metric name in quotes stands among the labels. The strings are copies of
 * the bytes.
 */
export function readSeries(cursor: Cursor, grammar: Grammar, { keepEmpty, limits }: SeriesOptions): Label[] {
  const labels: Label[] = []
  const start = cursor.at
  const isQuoted = cursor.bytes[start] === openBrace
  if (!isQuoted) addLabel(cursor, labels, ['__name__', readName(cursor, 'metric')], start, limits)
  if (skipToBrace(cursor, grammar.isOpenMetrics)) {
    const name = readLabels(cursor, grammar, limits, labels)
    if (isQuoted && !name) throw syntaxError(cursor, 'a metric name', start)
  }
  return !keepEmpty && labels.some(isEmpty) ? labels.filter((label) => !isEmpty(label)) : labels
}

/**
 * Position after the series that begins here: after its brace, or after its name if it has none. -1 if none begins here, or it
 * does not end. Correct for valid text; arbitrary for any other.
 */
export function endOfSeries({ bytes, at, linesBefore }: Cursor, isOpenMetrics: boolean): number {
  const cursor = { bytes, at, linesBefore }
  skipName(cursor, 'metric')
  if (!skipToBrace(cursor, isOpenMetrics)) return cursor.at === at ? -1 : cursor.at
  let isQuoted = false
  for (let end = cursor.at; end < bytes.length; end += 1) {
    const byte = bytes[end]
    if (byte === quote) isQuoted = !isQuoted
    else if (byte === backslash && isQuoted) end += 1
    else if (byte === closeBrace && !isQuoted) return end + 1
  }
  return -1
}

/** Skips an opening brace, and in the text format blanks before it; stays if there is none. */
function skipToBrace(cursor: Cursor, isOpenMetrics: boolean): boolean {
  const start = cursor.at
  if (!isOpenMetrics) skipBlanks(cursor)
  const isThere = cursor.bytes[cursor.at] === openBrace
  cursor.at = isThere ? cursor.at + 1 : start
  return isThere
}

/** Prometheus treats an empty value as a missing label. */
function isEmpty([, value]: Label): boolean {
  return value === ''
}

/**
 * Reads up to and including the closing brace, and returns the metric name between the braces, if any. Adds the labels sorted
 * by name, including empty ones; without `labels` it only validates.
 */
export function readLabels(
  cursor: Cursor,
  { isOpenMetrics, type }: Grammar,
  limits: ExpositionLimits,
  labels?: Label[],
): string | undefined {
  const isLoose = !isOpenMetrics
  const { bytes } = cursor
  let metric: string | undefined
  for (;;) {
    if (isLoose) skipBlanks(cursor)
    if (bytes[cursor.at] === closeBrace) break
    const start = cursor.at
    const isQuoted = bytes[start] === quote
    const name = isQuoted ? readQuoted(cursor, true, 'a name that ends') : readName(cursor, 'label')
    if (isLoose) skipBlanks(cursor)
    if (isQuoted && labels && isEndOfName(cursor)) {
      addLabel(cursor, labels, ['__name__', name], start, limits)
      metric = name
    } else {
      if (name === '') throw syntaxError(cursor, 'a label name', start)
      expectChar(cursor, equals, '"="')
      if (isLoose) skipBlanks(cursor)
      if (bytes[cursor.at] !== quote) throw syntaxError(cursor, 'a label value in double quotes')
      const value = readQuoted(cursor, isLoose, 'a label value that ends')
      if (labels) addLabel(cursor, labels, [name, valueOf(name, value, type)], start, limits)
      if (isLoose) skipBlanks(cursor)
    }
    if (bytes[cursor.at] === comma) cursor.at += 1
    else if (!isLoose && bytes[cursor.at] !== closeBrace) throw syntaxError(cursor, '"," or "}"')
  }
  cursor.at += 1
  return metric
}

/** Reads the name after HELP, TYPE or UNIT. */
export function readFamilyName(cursor: Cursor): string {
  const isQuoted = cursor.bytes[cursor.at] === quote
  return isQuoted ? readQuoted(cursor, true, 'a name that ends') : readName(cursor, 'metric')
}

function isEndOfName({ bytes, at }: Cursor): boolean {
  return bytes[at] === comma || bytes[at] === closeBrace
}

function valueOf(name: string, value: string, type?: string): string {
  const isBound = (type === 'histogram' && name === 'le') || (type === 'summary' && name === 'quantile')
  return isBound ? formatBound(value) : value
}

/** Reads a quoted text. `isLoose`: line breaks are allowed. */
function readQuoted(cursor: Cursor, isLoose: boolean, expected: string): string {
  const { bytes } = cursor
  const opening = cursor.at
  let isEscaped = false
  for (let at = opening + 1; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      cursor.at = at + 1
      const value = bytes.toString('utf8', opening + 1, at)
      return isEscaped ? unescapeLabel(value) : value
    }
    if (byte === backslash) {
      isEscaped = true
      at += 1
      if (bytes[at] === newline) break
    } else if (byte === newline && !isLoose) break
  }
  throw syntaxError(cursor, expected, opening)
}

/** Unescapes `\"`, `\\` and `\n`; any other escape stays unchanged. */
export function unescapeLabel(value: string): string {
  return value.replace(/\\(["\\n])/g, (_, char) => (char === 'n' ? '\n' : char))
}

/** Inserts a label by name; cheap, because labels are few and usually sorted already. */
function addLabel(cursor: Cursor, labels: Label[], label: Label, from: number, limits: ExpositionLimits): void {
  const [name, value] = label
  if (name.length > limits.labelNameLength && name !== '__name__') {
    throw syntaxError(cursor, `a label name of at most ${limits.labelNameLength} characters`, from)
  }
  if (value.length > limits.labelValueLength) {
    throw syntaxError(cursor, `a value of at most ${limits.labelValueLength} characters`, from)
  }
  if (labels.length >= limits.labels) throw syntaxError(cursor, `at most ${limits.labels} labels`, from)
  let at = labels.length
  for (; at > 0; at -= 1) {
    const previousName = labels[at - 1]?.[0] ?? ''
    if (previousName < name) break
    if (previousName === name) throw syntaxError(cursor, 'each label once', from)
  }
  if (at === labels.length) labels.push(label)
  else labels.splice(at, 0, label)
}
