import { EditorState } from '@codemirror/state'
import { ensureSyntaxTree, type LRLanguage } from '@codemirror/language'
import type { Diagnostic } from '@codemirror/lint'
import { Parser } from '@prometheus-io/codemirror-promql/dist/esm/parser'
import { positionOf, withoutPlaceholders, wordAt } from './positions.ts'

/** Problem that the server reports about a query; marked in the text if the message names a position. */
export type QueryProblem = { message: string }

const maxParseMs = 50

/** Problems of a query: syntax and type errors, and those that the server reports with a position. */
export function diagnose(state: EditorState, language: LRLanguage, problems: readonly QueryProblem[]): Diagnostic[] {
  const text = state.doc.toString()
  const ofServer = problems.flatMap(({ message }): Diagnostic[] => {
    const position = positionOf(message, text)
    return position === null ? [] : [{ ...wordAt(text, position), severity: 'error', message }]
  })
  return [...ofSyntax(text, state, language), ...ofServer]
}

function ofSyntax(text: string, state: EditorState, language: LRLanguage): Diagnostic[] {
  if (text.trim() === '') return []
  const promql = withoutPlaceholders(text)
  const parsed = promql === text ? state : EditorState.create({ doc: promql, extensions: language })
  if (!ensureSyntaxTree(parsed, parsed.doc.length, maxParseMs)) return [] // too long to parse; the server reports problems
  const parser = new Parser(parsed)
  parser.analyze()
  return parser.getDiagnostics()
}
