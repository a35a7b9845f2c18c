import { type Clock, createJumpWatch } from '../../clock.ts'
import type { Log } from '../../log.ts'

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
  /** By how much it was set while nines did not run, in ms; null: that cannot be told. */
  jumpedBeforeMs?: () => number | null
}

const toldForMs = 600_000
const minAtStartMs = 5000

export function createClockWatch({ clock, stopwatch, log, newestMs, jumpedBeforeMs = () => null }: Deps): ClockWatch {
  const jumpedMs = createJumpWatch({ clock, stopwatch })
  let last = { seconds: 0, atMs: -Infinity }
  let isStarted = false

  function note(jumpMs: number): void {
    const seconds = Math.round(jumpMs / 1000)
    last = { seconds, atMs: stopwatch.now() }
    log.warn('clock jumped', { seconds, advice: 'compare the clock of this machine with that of its metrics sources' })
  }

  /** A clock that was set while nines did not run; by what was stored alone, only one that was set back. */
  async function compareWithBefore(): Promise<void> {
    const jumpMs = jumpedBeforeMs() ?? 0
    if (Math.abs(jumpMs) > minAtStartMs) return note(jumpMs)
    const beforeMs = (await newestMs) ?? -Infinity
    if (beforeMs - clock.now() > minAtStartMs) note(clock.now() - beforeMs)
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
