/** A metric, and what its source says of it; empty where it says nothing. */
export type Metric = { name: string; type: string; help: string }

const maxShown = 50

/** The metrics that have all the words in their name or help; those whose name begins so come first, then by name. */
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
