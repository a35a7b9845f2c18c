import { formatCount, formatDuration, formatNumber, plural, sentence } from '../../../format.ts'

/** A short duration: `0.9 ms`, `23 ms`, `2 s`. */
export function formatMs(ms: number): string {
  if (ms < 10) return `${formatNumber(ms, 1)}\u2009ms`
  return ms < 10_000 ? `${formatNumber(ms)}\u2009ms` : formatDuration(ms / 1000)
}

/** Last run, with its duration if it is known, and what it brought. */
export function ranWords<Part>(ago: Part, durationMs: number | null, samples: number): (Part | string)[] {
  const count = plural(samples, '# sample', '# samples', formatCount)
  return durationMs === null
    ? sentence`Ran ${ago}, ${count}`
    : sentence`Ran ${ago}, took ${formatMs(durationMs)}, ${count}`
}

/** Schedule of runs, and when the next is due. `nextAt`: null: it is not known. */
export function everyWords(intervalSeconds: number, nextAt: string | null, nowMs: number): string {
  const interval = formatDuration(intervalSeconds)
  if (nextAt === null) return `every ${interval}`
  const seconds = (Date.parse(nextAt) - nowMs) / 1000
  return seconds < 1 ? `every ${interval}, next now` : `every ${interval}, next in ${formatDuration(seconds)}`
}
