import { invalid } from '../errors.ts'
import { readZonedTime, zonedTimeText } from '../http/zoned-time.ts'

const maxAheadSeconds = 30

/** The end of a calculation in whole Unix seconds; now without a text. Throws `invalid` for what docs/slo-math.md, "SLI", refuses. */
export function endOfWindow(text: string | undefined, nowMs: number): number {
  const nowSeconds = Math.floor(nowMs / 1000)
  if (text === undefined) return nowSeconds
  const timeMs = readZonedTime(text)
  if (timeMs === undefined) throw invalid('extend_time', `must be ${zonedTimeText}`)
  const seconds = Math.floor(timeMs / 1000)
  if (seconds > nowSeconds + maxAheadSeconds) throw invalid('extend_time', 'must be a time that is not in the future')
  if (seconds < 0) throw invalid('extend_time', 'must be a time after 1970')
  return seconds
}
