import { isMeasured } from './linear-form.ts'
import { binaryParts, type BinaryParts, type PromqlNode } from './tree.ts'

export type Ratio = { node: PromqlNode; parts: BinaryParts }

/** The outermost divisions of something measured by something measured. */
export function* measuredRatios(node: PromqlNode): Generator<Ratio, void> {
  const parts = binaryParts(node)
  if (parts?.operator.name === 'Div' && isMeasured(parts.left) && isMeasured(parts.right)) {
    yield { node, parts }
    return
  }
  for (const child of node.children) yield* measuredRatios(child)
}
