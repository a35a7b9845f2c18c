import type { Column } from '../columns.ts'
import { inOrderOfLabels, labelOf } from '../../../promql/labels.ts'

/**
 * `sort_by_label`: sorts by the values of some labels in natural order, then by all labels. Only an instant query has an order.
 */
export function sortedByLabel(columns: Column[], names: string[], isDescending: boolean): Column[] {
  const direction = isDescending ? -1 : 1
  const byAllLabels = inOrderOfLabels(columns)
  if (isDescending) byAllLabels.reverse()
  return byAllLabels.toSorted((a, b) => {
    for (const name of names) {
      const [left, right] = [labelOf(a.labels, name), labelOf(b.labels, name)]
      if (left !== right) return naturallyBefore(left, right) ? -direction : direction
    }
    return 0
  })
}

/** Natural order: digits count as numbers, so `pod2` is before `pod10`. */
function naturallyBefore(left: string, right: string): boolean {
  const [leftChunks, rightChunks] = [chunksOf(left), chunksOf(right)]
  for (const [place, chunk] of leftChunks.entries()) {
    const other = rightChunks[place]
    if (other === undefined) return false
    const [number, otherNumber] = [integerOf(chunk), integerOf(other)]
    const areNumbers = number !== null && otherNumber !== null
    if (areNumbers ? number !== otherNumber : chunk !== other)
      return areNumbers ? number < otherNumber : Buffer.compare(Buffer.from(chunk), Buffer.from(other)) < 0
    if (place === leftChunks.length - 1 && rightChunks.length > leftChunks.length) return true
  }
  return left < right
}

const chunksOf = (text: string): string[] => text.match(/\d+|\D+/g) ?? []

const largestInteger = 2n ** 63n - 1n

function integerOf(chunk: string): bigint | null {
  if (!/^\d/.test(chunk)) return null
  const value = BigInt(chunk)
  return value <= largestInteger ? value : null
}
