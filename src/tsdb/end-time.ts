import { invalid } from '../errors.ts'

/** ISO 8601 with a zone: without one it would mean another time on every machine. */
const zoned = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i
const mostAheadSeconds = 30

/** The end of a calculation in whole Unix seconds; now without a text. Throws `invalid` for what calculation.md refuses. */
export function endOfWindow(text: string | undefined, nowMs: number): number {
  const nowSeconds = Math.floor(nowMs / 1000)
  if (text === undefined) return nowSeconds
  const day = zoned.exec(text)?.[1]
  const timeMs = Date.parse(text)
  const realDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)
  if (!realDay || Number.isNaN(timeMs)) throw invalid('extend_time', 'wanted an ISO 8601 time with a zone')
  const seconds = Math.floor(timeMs / 1000)
  if (seconds > nowSeconds + mostAheadSeconds) throw invalid('extend_time', 'wanted a time that is not in the future')
  if (seconds < 0) throw invalid('extend_time', 'wanted a time after 1970')
  return seconds
}
