import { formatDuration } from '../format.ts'
import { words } from '../words.ts'

/** Word for an SLO of which every check fails, such as `Down 8 min`. */
export function downWord(sinceMs: number, atMs: number): string {
  const seconds = (atMs - sinceMs) / 1000
  return seconds < 60 ? words.down : `${words.down} ${formatDuration(seconds)}`
}
