/** A metric with the metadata of its source; empty texts if there is none. */
export type Metric = { name: string; type: string; help: string }

const maxShown = 50

/**
 * Metrics that have all words in their name or help text. Names that begin with the text come first, then names that have all
 * words, then the others.
 */
export function findMetrics(metrics: readonly Metric[], text: string): { found: Metric[]; more: number } {
  const typed = text.trim().toLowerCase()
  const words = typed.split(/\s+/).filter(Boolean)
  const ranked = metrics.flatMap((metric) => {
    const name = metric.name.toLowerCase()
    if (!words.every((word) => name.includes(word) || metric.help.toLowerCase().includes(word))) return []
    return [{ metric, rank: name.startsWith(typed) ? 0 : words.every((word) => name.includes(word)) ? 1 : 2 }]
  })
  const found = ranked.toSorted((a, b) => a.rank - b.rank || (a.metric.name < b.metric.name ? -1 : 1))
  return {
    found: found.slice(0, maxShown).map(({ metric }) => metric),
    more: Math.max(0, found.length - maxShown),
  }
}
