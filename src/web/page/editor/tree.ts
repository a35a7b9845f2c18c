import { parser } from '@prometheus-io/lezer-promql'
import { withoutPlaceholders } from './positions.ts'

/** Node of a PromQL syntax tree. */
export type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

/** Parser steps for one query: enough for about 2,000 characters. Longer queries, and many signs after a `^`, would block the page. */
const maxSteps = 1_000

/** Syntax tree of a query, which may have placeholders such as `[window]`. Its offsets are those of the text. Null: parsing takes too long. */
export function treeOf(text: string): SyntaxNode | null {
  const parse = parser.startParse(withoutPlaceholders(text))
  for (let step = 0; step < maxSteps; step++) {
    const tree = parse.advance()
    if (tree) return tree.topNode
  }
  return null
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child)
  return found
}

/** Nodes of one name in a tree, in the order of the text. */
export function nodesOf(top: SyntaxNode, name: string): SyntaxNode[] {
  return [...(top.name === name ? [top] : []), ...childrenOf(top).flatMap((child) => nodesOf(child, name))]
}
