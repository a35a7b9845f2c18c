import type { parser } from '@prometheus-io/lezer-promql'

/** A node of the grammar's tree. */
export type Node = ReturnType<typeof parser.parse>['topNode']
export type TextOf = (node: Node) => string

/** The children of a node but for comments. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (child.name !== 'LineComment') children.push(child)
  return children
}
