import { parser } from '@prometheus-io/lezer-promql'
import type { PromqlNode, Span } from './nodes.ts'
import { byPrecedence } from './precedence.ts'

/** Why an expression cannot be read; `position` counts characters from 0. */
export type SyntaxProblem = { position: number; message: string }

/** `root` is the expression, null exactly where there is a `problem`; `quoted` are its string literals and comments. */
export type PromqlReading = { root: PromqlNode | null; problem: SyntaxProblem | null; quoted: Span[] }

// Sources take 16 kB and more; the parser's worst case there is half a second, and recursion over 1,000 levels is safe.
const longestText = 16_384
const deepestNesting = 1_000

/** Reads an expression by the official grammar and the precedence of Prometheus. What cannot be read has a `problem`. */
export function readPromql(text: string): PromqlReading {
  const quoted: Span[] = []
  const fail = (position: number, message: string) => ({ root: null, problem: { position, message }, quoted })
  if (text.length > longestText) return fail(longestText, `it is longer than ${longestText} characters`)

  const cursor = parser.parse(text).cursor()
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
      if (depth === 1) break
    }
    const { name, from, to } = cursor
    if (cursor.type.isError && (error === null || from < error.from)) error = { from, to }
    if (name === 'StringLiteral' || name === 'LineComment') quoted.push({ from, to })
    if (name !== 'LineComment') {
      const node = { name, text: text.slice(from, to), from, to, children: [] }
      open.length = depth - 1
      open.at(-1)?.children.push(node)
      open.push(node)
    }
  }

  if (text.trim() === '') return fail(0, 'it is empty')
  const tooDeep = `it is nested deeper than ${deepestNesting} levels`
  const deepAt = tooDeepAt(top)
  if (deepAt !== null) return fail(deepAt, tooDeep)
  if (error !== null) return fail(error.from, describeError(text, error))
  // Put together anew, a chain can be deeper than the grammar had it.
  const whole = byPrecedence(top, text)
  const stillDeepAt = tooDeepAt(whole)
  if (stillDeepAt !== null) return fail(stillDeepAt, tooDeep)
  return { root: whole.children[0] ?? null, problem: null, quoted }
}

/** Where the first node below the deepest level starts, if there is one. */
function tooDeepAt(top: PromqlNode): number | null {
  let level = [top]
  for (let depth = 1; level.length > 0 && depth <= deepestNesting; depth++)
    level = level.flatMap(({ children }) => children)
  return level[0]?.from ?? null
}

function describeError(text: string, { from, to }: Span): string {
  if (text.slice(from).trim() === '') return 'it ends too early'
  const called = /[a-zA-Z_][\w:]*(?=\s*$)/.exec(text.slice(0, from))?.[0]
  if (called && text.slice(from).trimStart().startsWith('(')) return `it knows no function “${called}”`
  const wrong = to > from ? text.slice(from, to) : text.slice(from).trimStart()
  return `${to > from ? 'did not expect' : 'something is missing before'} “${wrong.length > 20 ? `${wrong.slice(0, 20)}…` : wrong}”`
}
