/** Label of a chart, with its keys. */
export function chartLabel(label: string): string {
  return `${label}. Arrows move the point, plus zooms in, Escape zooms out.`
}
