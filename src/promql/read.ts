import { parser as packagedParser } from '@prometheus-io/lezer-promql'
import { buildExpr, type GrammarNode } from './build.ts'
import { childrenOf, type Expr, type Span } from './syntax.ts'

type Specializer = (value: string, stack: unknown) => number
const { specializerSpecs } = packagedParser as unknown as { specializerSpecs: { external?: Specializer }[] }

/** The package's parser; on its own it takes names of `Object.prototype`, as `constructor`, for keywords. */
const parser = packagedParser.configure({
  specializers: specializerSpecs.flatMap(({ external }) =>
    external
      ? {
          from: external,
          to: (value: string, stack: unknown) =>
            value.toLowerCase() in Object.prototype ? -1 : external(value, stack),
        }
      : [],
  ),
})

/** Reason why an expression cannot be read; `position` counts characters from 0. `isLimit`: it may still be valid PromQL. */
export type SyntaxProblem = { position: number; message: string; isLimit?: boolean }

/** Result of parsing. `root` is null if and only if there is a `problem`. `quoted`: the string literals and comments. */
export type PromqlReading = { root: Expr | null; problem: SyntaxProblem | null; quoted: Span[] }

// Sources accept queries of 16 kB and more. Recursion over 1,000 levels is safe.
export const maxGivenCharacters = 16_384
const maxNesting = 1_000
const maxBrackets = 200
const maxOperators = 2_000

// The parser follows both readings of each sign after a `^`, all in parallel.
const maxSignedPowers = 100

/**
 * Parses an expression by the official grammar and the precedence of Prometheus. If it cannot be read or is longer than
 * `maxCharacters`, the result has a `problem`.
 */
export function readPromql(text: string, maxCharacters = maxGivenCharacters): PromqlReading {
  if (text.length > maxCharacters)
    return failed([], maxCharacters, `it is longer than ${maxCharacters} characters`, true)
  const { quoted, tooDeepPosition, operators, signedPowers } = scan(text)
  if (text.trim() === '') return failed(quoted, 0, 'it is empty')
  const overLimit = (position: number, message: string) => failed(quoted, position, message, true)
  if (tooDeepPosition !== null)
    return overLimit(tooDeepPosition, `its brackets are nested deeper than ${maxBrackets} levels`)
  if (operators > maxOperators) return overLimit(0, `it has more than ${maxOperators} operators`)
  if (signedPowers > maxSignedPowers) return overLimit(0, `it has more than ${maxSignedPowers} signs after “^”`)

  const { top, error } = parse(text, normalizeNumbers(text, quoted))
  const tooDeep = `it is nested deeper than ${maxNesting} levels`
  const deepPosition = belowDeepest([top], ({ children }) => children, 1)
  if (deepPosition !== null) return overLimit(deepPosition, tooDeep)
  if (error !== null) return failed(quoted, error.from, describeError(text, error))
  const [expression] = top.children
  if (!expression) return failed(quoted, 0, 'it is empty')
  // A rebuilt chain can be nested deeper than in the grammar's tree.
  const root = buildExpr(expression)
  const stillDeepPosition = belowDeepest([root], childrenOf, 2)
  if (stillDeepPosition !== null) return overLimit(stillDeepPosition, tooDeep)
  const unclear = unclearOffset(root, text)
  if (unclear)
    return overLimit(unclear.to, 'put “offset (…)” and what it follows in parentheses here: it can be read in two ways')
  return { root, problem: null, quoted }
}

function failed(quoted: Span[], position: number, message: string, isLimit = false): PromqlReading {
  return { root: null, problem: { position, message, ...(isLimit && { isLimit }) }, quoted }
}

// A string in backticks may span lines and counts only if it is closed. Any other string ends with its line at the latest.
const pieces =
  /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|`[^`]*`|#[^\n]*|[({[]|[)}\]]|\^(?=(\s*(?:#[^\n]*\n\s*)*[-+])?)|[-+*/%]/g

/**
 * Scans an expression, valid or not, in linear time. Finds its string literals and comments, the place where brackets first
 * nest deeper than `maxBrackets`, the number of arithmetic operators and signs, and the number of signs after a `^`.
 */
function scan(text: string) {
  const quoted: Span[] = []
  let depth = 0
  let tooDeepPosition: number | null = null
  let operators = 0
  let signedPowers = 0
  for (const { 0: piece, 1: signed, index } of text.matchAll(pieces)) {
    if ('-+*/%^'.includes(piece)) {
      operators += 1
      if (signed) signedPowers += 1
    } else if ('({['.includes(piece)) {
      depth += 1
      if (depth > maxBrackets) tooDeepPosition ??= index
    } else if (')}]'.includes(piece)) depth -= 1
    else quoted.push({ from: index, to: index + piece.length })
  }
  return { quoted, tooDeepPosition, operators, signedPowers }
}

const strictParser = parser.configure({ strict: true })

/** Text of the same length in which the grammar accepts numbers that end in a dot, as Prometheus does (`1.` → `01`). */
function normalizeNumbers(text: string, quoted: Span[]): string {
  return text.replaceAll(/(?<![\w.:])(\d[\d_]*)\.(?=e[+-]?\d|(?![\w.]))/gi, (all, digits: string, at: number) =>
    quoted.some(({ from, to }) => at >= from && at < to) ? all : `0${digits}`,
  )
}

/**
 * Parses `normalized`; the nodes have their text from `text`. Also returns the first error. Error recovery can take the parser
 * seconds for 16 kB of brackets, so it is limited to a few characters, to find out what is wrong.
 */
function parse(text: string, normalized: string): { top: GrammarNode; error: Span | null } {
  try {
    return treeOf(strictParser, text, normalized)
  } catch (problem) {
    if (!(problem instanceof SyntaxError)) throw problem
    const position = Number(/\d+$/.exec(problem.message)?.[0] ?? 0)
    const { top, error } = treeOf(parser, text, normalized.slice(0, position + charactersAfterError))
    return { top, error: error ?? { from: position, to: position } }
  }
}

/** Characters after an error that the recovering parser reads. */
const charactersAfterError = 60

function treeOf(grammar: typeof parser, text: string, normalized: string): { top: GrammarNode; error: Span | null } {
  const cursor = grammar.parse(normalized).cursor()
  const top: GrammarNode = { name: cursor.name, text, from: cursor.from, to: cursor.to, children: [] }
  const open = [top]
  let error: Span | null = null
  let depth = 1
  for (;;) {
    if (cursor.firstChild()) depth++
    else {
      while (depth > 1 && !cursor.nextSibling()) {
        cursor.parent()
        depth--
      }
      if (depth === 1) return { top, error }
    }
    const { name, from, to } = cursor
    if (cursor.type.isError && (error === null || from < error.from)) error = { from, to }
    if (name !== 'LineComment') {
      const node = { name, text: text.slice(from, to), from, to, children: [] }
      open.length = depth - 1
      open.at(-1)?.children.push(node)
      open.push(node)
    }
  }
}

const arithmetic = new Set(['+', '-', '*', '/', '%', '^'])

/** Finds an `offset (…)` before an arithmetic operator: Prometheus takes what follows as part of the duration. */
function unclearOffset(root: Expr, text: string): Expr | undefined {
  const waiting = [root]
  for (let expr = waiting.pop(); expr; expr = waiting.pop()) {
    waiting.push(...childrenOf(expr))
    if (expr.kind !== 'binary' || !arithmetic.has(expr.operator)) continue
    let last = expr.left
    while (last.kind === 'binary' || last.kind === 'unary') last = last.kind === 'binary' ? last.right : last.expr
    if (last.kind === 'offset' && text.charAt(last.to - 1) === ')') return last
  }
  return undefined
}

/** Start of the first node below `maxNesting` levels, null if there is none; `depth` is the level of `nodes`. */
function belowDeepest<T extends Span>(nodes: T[], childrenOf: (node: T) => T[], depth: number): number | null {
  let level = nodes
  for (let at = depth; level.length > 0 && at <= maxNesting; at++) level = level.flatMap(childrenOf)
  return level[0]?.from ?? null
}

const maxNameCharacters = 100

function describeError(text: string, { from, to }: Span): string {
  if (text.slice(from).trim() === '') return 'it ends too early'
  const called = /[a-zA-Z_][\w:]*(?=\s*$)/.exec(text.slice(Math.max(0, from - maxNameCharacters), from))?.[0]
  if (called && text.slice(from).trimStart().startsWith('(')) return `it knows no function “${called}”`
  const wrong = to > from ? text.slice(from, to) : text.slice(from).trimStart()
  return `${to > from ? 'did not expect' : 'something is missing before'} “${wrong.length > 20 ? `${wrong.slice(0, 20)}…` : wrong}”`
}
