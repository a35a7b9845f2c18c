import { parser } from '@prometheus-io/lezer-promql'
import type { PromqlNode, Span } from './nodes.ts'
import { byPrecedence } from './precedence.ts'
import { scanPromql } from './scan.ts'

/** Why an expression cannot be read; `position` counts characters from 0. `isLimit`: it may be PromQL all the same. */
export type SyntaxProblem = { position: number; message: string; isLimit?: boolean }

/** `root` is the expression, null exactly where there is a `problem`; `quoted` are its string literals and comments. */
export type PromqlReading = { root: PromqlNode | null; problem: SyntaxProblem | null; quoted: Span[] }

// Sources take 16 kB and more, and recursion over 1,000 levels is safe.
const maxText = 16_384
const deepestNesting = 1_000
const maxBrackets = 200
const maxOperators = 2_000

// The parser follows up both readings of each sign after a `^`, all of them at once.
const maxSignedPowers = 100

/** Reads an expression by the official grammar and the precedence of Prometheus. What cannot be read has a `problem`. */
export function readPromql(text: string): PromqlReading {
  if (text.length > maxText) return failed([], maxText, `it is longer than ${maxText} characters`, true)
  const { quoted, tooDeepAt, operators, signedPowers } = scanPromql(text, maxBrackets)
  if (text.trim() === '') return failed(quoted, 0, 'it is empty')
  const fail = (position: number, message: string) => failed(quoted, position, message, true)
  if (tooDeepAt !== null) return fail(tooDeepAt, `its brackets are nested deeper than ${maxBrackets} levels`)
  if (operators > maxOperators) return fail(0, `it has more than ${maxOperators} operators`)
  if (signedPowers > maxSignedPowers) return fail(0, `it has more than ${maxSignedPowers} signs after “^”`)

  const { top, error } = parse(text, readable(text, quoted))
  const tooDeep = `it is nested deeper than ${deepestNesting} levels`
  const deepAt = belowDeepest(top)
  if (deepAt !== null) return fail(deepAt, tooDeep)
  if (error !== null) return failed(quoted, error.from, describeError(text, error))
  // Put together again, a chain can be deeper than the grammar had it.
  const whole = byPrecedence(top, text)
  const stillDeepAt = belowDeepest(whole)
  if (stillDeepAt !== null) return fail(stillDeepAt, tooDeep)
  const unclear = unclearOffset(whole)
  if (unclear)
    return fail(unclear.to, 'put “offset (…)” and what it follows in parentheses here: it can be read in two ways')
  return { root: whole.children[0] ?? null, problem: null, quoted }
}

function failed(quoted: Span[], position: number, message: string, isLimit = false): PromqlReading {
  return { root: null, problem: { position, message, ...(isLimit && { isLimit }) }, quoted }
}

const strictParser = parser.configure({ strict: true })

/** A text of the same length that the grammar reads as Prometheus does: it knows no number that ends in a dot. */
function readable(text: string, quoted: Span[]): string {
  return text.replaceAll(/(?<![\w.:])(\d[\d_]*)\.(?=e[+-]?\d|(?![\w.]))/gi, (all, digits: string, at: number) =>
    quoted.some(({ from, to }) => at >= from && at < to) ? all : `0${digits}`,
  )
}

/**
 * The tree of a text, of which the grammar reads `same`, and the first error in it. To go on after an error can take the parser seconds for 16 kB of brackets, so it
 * does that only for a few characters, to find out what is wrong.
 */
function parse(text: string, same: string): { top: PromqlNode; error: Span | null } {
  try {
    return { top: treeOf(strictParser, text, same).top, error: null }
  } catch (problem) {
    if (!(problem instanceof SyntaxError)) throw problem
    const position = Number(/\d+$/.exec(problem.message)?.[0] ?? 0)
    const { top, error } = treeOf(parser, text, same.slice(0, position + describedAfter))
    return { top, error: error ?? { from: position, to: position } }
  }
}

const describedAfter = 60

function treeOf(grammar: typeof parser, text: string, same: string): { top: PromqlNode; error: Span | null } {
  const cursor = grammar.parse(same).cursor()
  const top: PromqlNode = { name: cursor.name, text, from: cursor.from, to: cursor.to, children: [] }
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

const arithmetic = new Set(['Add', 'Sub', 'Mul', 'Div', 'Mod', 'Pow'])

/** An `offset (…)` before an arithmetic operator: Prometheus takes what follows for a part of the duration. */
function unclearOffset(top: PromqlNode): PromqlNode | undefined {
  const waiting = [top]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    waiting.push(...node.children)
    const [left, operator] = node.children
    if (node.name !== 'BinaryExpr' || !left || !arithmetic.has(operator?.name ?? '')) continue
    let last = left
    while (last.name === 'BinaryExpr' || last.name === 'UnaryExpr') last = last.children.at(-1) ?? left
    if (last.name === 'OffsetExpr' && last.text.endsWith(')')) return last
  }
  return undefined
}

/** Where the first node below the deepest level starts, if there is one. */
function belowDeepest(top: PromqlNode): number | null {
  let level = [top]
  for (let depth = 1; level.length > 0 && depth <= deepestNesting; depth++)
    level = level.flatMap(({ children }) => children)
  return level[0]?.from ?? null
}

const maxName = 100

function describeError(text: string, { from, to }: Span): string {
  if (text.slice(from).trim() === '') return 'it ends too early'
  const called = /[a-zA-Z_][\w:]*(?=\s*$)/.exec(text.slice(Math.max(0, from - maxName), from))?.[0]
  if (called && text.slice(from).trimStart().startsWith('(')) return `it knows no function “${called}”`
  const wrong = to > from ? text.slice(from, to) : text.slice(from).trimStart()
  return `${to > from ? 'did not expect' : 'something is missing before'} “${wrong.length > 20 ? `${wrong.slice(0, 20)}…` : wrong}”`
}
