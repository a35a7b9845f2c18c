import { formatBytes, formatDuration, formatNumber } from '../../../format.ts'
import type { Storage } from '../types.ts'

/** Sentence that predicts the size of the samples from the current rate; null if no samples arrive. */
export function forecastOf({ bytes, file, bytes_per_day, retention_days, samples_per_day }: Storage): string | null {
  if (samples_per_day === 0) return null
  const room = Math.min(bytes.limit, file === null ? Infinity : file.limit)
  const whole = bytes_per_day * retention_days
  if (whole <= room) {
    return `At this rate it holds about ${formatBytes(whole)} once it has the whole ${formatNumber(retention_days)} days.`
  }
  const days = Math.max(0, (room - bytes.used) / bytes_per_day)
  const kept = Math.floor(room / bytes_per_day)
  const when = days < 1 ? 'within a day' : `in about ${formatDuration(Math.round(days) * 86_400)}`
  return `At this rate it is full ${when}. From then on the oldest samples go first, after about ${formatNumber(kept)} days.`
}
