import { type Clock, createJumpWatch } from '../clock.ts'
import type { Log } from '../log.ts'

/** Notices when the clock of this machine is set. Times that were stored before are then of another clock. */
export type ClockWatch = {
  /** To be called every second. */
  look(): Promise<void>
  /** By how much it jumped last, in seconds, ahead is positive; 0: it did not within ten minutes. */
  jumpedSeconds(): number
}

type Deps = {
  clock: Clock
  stopwatch: Clock
  log: Log
  /** The newest time that was stored before the start; null: there is none. */
  newestMs: Promise<number | null>
}

const toldForMs = 600_000
const leastAtStartMs = 5000

export function createClockWatch({ clock, stopwatch, log, newestMs }: Deps): ClockWatch {
  const jumpedMs = createJumpWatch({ clock, stopwatch })
  let last = { seconds: 0, atMs: -Infinity }
  let isStarted = false

  function note(jumpMs: number): void {
    const seconds = Math.round(jumpMs / 1000)
    last = { seconds, atMs: stopwatch.now() }
    log.warn('clock jumped', { seconds, advice: 'compare the clock of this machine with that of its metrics sources' })
  }

  /** A clock that was set back while nines did not run. */
  async function compareWithBefore(): Promise<void> {
    const beforeMs = (await newestMs) ?? -Infinity
    if (beforeMs - clock.now() > leastAtStartMs) note(clock.now() - beforeMs)
  }

  return {
    async look() {
      const jumpMs = jumpedMs()
      if (jumpMs !== 0) note(jumpMs)
      if (isStarted) return
      isStarted = true
      await compareWithBefore()
    },
    jumpedSeconds: () => (stopwatch.now() - last.atMs < toldForMs ? last.seconds : 0),
  }
}
