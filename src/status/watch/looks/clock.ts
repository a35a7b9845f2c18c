import type { ClockWatch } from '../clock-watch.ts'
import type { Finding } from '../watchdog.ts'
import { durationText } from './words.ts'

/** Whether the clock of the machine was set, for as long as the clock watch says so. */
export function watchClock(clockWatch: Pick<ClockWatch, 'jumpedSeconds'>): () => Finding {
  return () => {
    const seconds = clockWatch.jumpedSeconds()
    if (seconds === 0) return null
    return `the clock of this machine was set ${durationText(Math.abs(seconds) * 1000)} ${seconds > 0 ? 'ahead' : 'back'}`
  }
}
