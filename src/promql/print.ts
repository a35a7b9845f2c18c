import { unquoted } from './literals.ts'
import { type Binary, type Expr, type Span, unwrap, type WrittenMatcher } from './syntax.ts'

/**
 * Canonical text: equal for expressions that differ only in white space, comments, quotes or redundant parentheses. It is
 * PromQL with the same meaning.
 */
export function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return expr.text
    case 'string':
      return quoted(expr.text)
    case 'paren':
      return printExpr(expr.expr)
    case 'selector':
      return (expr.metric ?? '') + (expr.matchers.length > 0 || !expr.metric ? printMatchers(expr.matchers) : '')
    case 'range':
      return `${operand(expr.expr)}[${printExpr(expr.range)}]`
    case 'subquery':
      return `${operand(expr.expr)}[${printExpr(expr.range)}:${expr.step ? printExpr(expr.step) : ''}]`
    case 'offset':
      return `${operand(expr.expr)} offset ${operand(expr.by)}`
    case 'at':
      return `${operand(expr.expr)} @ ${typeof expr.time === 'string' ? `${expr.time}()` : printExpr(expr.time)}`
    case 'anchored':
    case 'smoothed':
      return `${operand(expr.expr)} ${expr.kind}`
    case 'unary':
      return expr.sign + operand(expr.expr)
    case 'binary':
      return `${operand(expr.left)} ${operatorOf(expr)} ${operand(expr.right)}`
    case 'call':
      return `${expr.name}(${expr.args.map(printExpr).join(', ')})`
    case 'aggregate': {
      const { operator, grouping, args } = expr
      const by = grouping ? ` ${grouping.without ? 'without' : 'by'} ${printLabels(grouping.labels)} ` : ''
      return `${operator}${by}(${args.map(printExpr).join(', ')})`
    }
  }
}

/** Matchers in braces. */
export const printMatchers = (matchers: readonly WrittenMatcher[]) => `{${matchers.map(printMatcher).join(',')}}`

export const printMatcher = ({ label, operator, value }: WrittenMatcher) =>
  label === null ? quoted(value) : `${label}${operator}${quoted(value)}`

function operand(expr: Expr): string {
  const inner = unwrap(expr)
  const text = printExpr(inner)
  return inner.kind === 'binary' || inner.kind === 'unary' ? `(${text})` : text
}

function operatorOf({ operator, bool, matching, fill }: Binary): string {
  const parts = [operator, bool && 'bool', fill]
  if (matching) {
    const { on, labels, many, include } = matching
    const group = many && `group_${many}${include.length > 0 ? ` ${printLabels(include)}` : ''}`
    parts.splice(2, 0, `${on ? 'on' : 'ignoring'} ${printLabels(labels)}`, group ?? false)
  }
  return parts.filter(Boolean).join(' ')
}

const printLabels = (labels: readonly string[]) => `(${labels.join(', ')})`

/** Literal in double quotes; unchanged if it is malformed. */
function quoted(literal: string): string {
  const text = unquoted(literal)
  return text === null ? literal : JSON.stringify(text) // Go reads JSON's escapes
}

/** Replacement for a span of a text; an empty span inserts. */
export type Edit = Span & { text: string }

/** Part `span` of the text with the edits inside it applied; everything else stays byte for byte. */
export function edited(text: string, edits: readonly Edit[], span: Span = { from: 0, to: text.length }): string {
  let result = ''
  let at = span.from
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    if (edit.from < at || edit.to > span.to) continue
    result += text.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return result + text.slice(at, span.to)
}
