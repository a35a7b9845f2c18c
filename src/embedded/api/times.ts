import { readZonedTime } from '../../http/zoned-time.ts'

/** What a `Date` can hold. */
const latestMs = 8.64e15
/** What the durations of Prometheus can hold: 64 bits of nanoseconds. */
const maxMs = 2 ** 63 / 1e6

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const units = [
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const
const duration = new RegExp(`^${units.map(([unit]) => `(?:(\\d+)${unit})?`).join('')}$`)

/** Unix seconds, or an RFC 3339 time, in whole milliseconds; nothing for what is neither, or out of all bounds. */
export function readTime(text: string): number | undefined {
  const timeMs = number.test(text) ? Math.round(Number(text) * 1000) : readZonedTime(text)
  return timeMs !== undefined && Math.abs(timeMs) <= latestMs ? timeMs : undefined
}

/** Seconds, or a duration of Prometheus (`1h30m`), in whole milliseconds; nothing for what is neither. */
export function readDuration(text: string): number | undefined {
  const durationMs = number.test(text) ? wholeMs(Number(text)) : unitsMs(text)
  return durationMs !== undefined && Math.abs(durationMs) < maxMs ? durationMs : undefined
}

/** As Prometheus does: to nanoseconds, and then to milliseconds, with the rest cut off. */
function wholeMs(seconds: number): number {
  return Math.trunc(Math.trunc(seconds * 1e9) / 1e6)
}

function unitsMs(text: string): number | undefined {
  const counts = duration.exec(text)?.slice(1)
  if (text === '' || !counts) return undefined
  return units.reduce((sum, [, unitMs], place) => sum + Number(counts[place] ?? 0) * unitMs, 0)
}
