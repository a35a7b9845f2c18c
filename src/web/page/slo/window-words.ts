const units: Record<string, string | undefined> = { h: 'hour', d: 'day', w: 'week' }

/** The window of an SLO after "the last": `hour`, `30 days`, `4 weeks`. */
export function windowWords(window: string): string {
  const count = Number.parseInt(window)
  const unit = units[window.slice(-1)] ?? ''
  return count === 1 ? unit : `${count} ${unit}s`
}
