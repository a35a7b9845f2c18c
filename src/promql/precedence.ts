import type { PromqlNode, Span } from './nodes.ts'

/** What waits for its right side: an operator with its modifiers, or a sign. */
type Waiting = { parts: PromqlNode[]; precedence: number; isSign: boolean }

const levels = [
  'Or',
  'And Unless',
  'Eql Neq Lss Lte Gtr Gte TrimUpper TrimLower',
  'Add Sub',
  'Mul Div Mod Atan2',
  'Pow',
]
const precedences = new Map(
  levels.flatMap((names, precedence) => names.split(' ').map((name) => [name, precedence] as const)),
)
const ofPower = precedences.get('Pow') ?? 0
const ofSign = precedences.get('Mul') ?? 0

/** The nodes that are an operand and what follows it. */
export const suffixes = new Set(
  'OffsetExpr StepInvariantExpr MatrixSelector SubqueryExpr AnchoredExpr SmoothedExpr'.split(' '),
)

/**
 * An expression of `text`, put together by the precedence of Prometheus. The grammar binds `offset`, `@` and `[…]` more
 * loosely than any operator, and the sign of a number more tightly than `^`; Prometheus does the contrary. So a chain
 * is laid flat and built again. Signs are operations: `-1` is a UnaryExpr too.
 */
export function byPrecedence(expression: PromqlNode, text: string): PromqlNode {
  const operands: PromqlNode[] = []
  const waiting: Waiting[] = []
  const nodeOf = (name: string, { from, to }: Span, children: PromqlNode[] = []): PromqlNode => {
    return { name, from, to, text: text.slice(from, to), children }
  }
  const push = (name: string, children: PromqlNode[], to = children.at(-1)?.to ?? 0) =>
    void operands.push(nodeOf(name, { from: children[0]?.from ?? 0, to }, children))
  const pushSign = (sign: PromqlNode) => void waiting.push({ parts: [sign], precedence: ofSign, isSign: true })

  const settle = (weakest: number) => {
    for (let last = waiting.at(-1); last && last.precedence >= weakest; last = waiting.at(-1)) {
      waiting.pop()
      const right = operands.splice(-1)
      const left = last.isSign ? [] : operands.splice(-1)
      push(last.isSign ? 'UnaryExpr' : 'BinaryExpr', [...left, ...last.parts, ...right])
    }
  }

  const lay = (node: PromqlNode): void => {
    const [first, ...rest] = node.children
    const last = rest.at(-1)
    if (node.name === 'BinaryExpr' && first && last) {
      lay(first)
      const precedence = precedences.get(rest[0]?.name ?? '') ?? 0
      settle(precedence === ofPower ? precedence + 1 : precedence)
      waiting.push({ parts: rest.slice(0, -1), precedence, isSign: false })
      lay(last)
    } else if (node.name === 'UnaryExpr' && first && last) {
      pushSign(first)
      lay(last)
    } else if (suffixes.has(node.name) && first) {
      lay(first)
      push(node.name, [...operands.splice(-1), ...rest], node.to)
    } else if (node.name === 'NumberDurationLiteral') {
      const { from, to } = node
      const [sign = ''] = /^[-+](?:\s|#[^\n]*)*/.exec(node.text) ?? []
      if (sign !== '') pushSign(nodeOf('UnaryOp', { from, to: from + 1 }))
      operands.push(nodeOf(node.name, { from: from + sign.length, to }))
    } else operands.push({ ...node, children: node.children.map((child) => byPrecedence(child, text)) })
  }

  lay(expression)
  settle(0)
  return operands[0] ?? expression
}
