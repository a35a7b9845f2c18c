const minWidthPx = 56
const characterPx = 7.25 // of digits at 12 px; separators are narrower
const gapPx = 12

/** Width of an axis that has room for its labels. */
export function axisWidthPx(labels: readonly string[]): number {
  const longest = labels.reduce((max, { length }) => Math.max(max, length), 0)
  return Math.max(minWidthPx, Math.ceil(longest * characterPx + gapPx))
}
