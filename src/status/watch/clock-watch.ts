import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { type Clock, createJumpWatch } from '../../clock.ts'
import { clockRecordName } from '../../db/backup/parts.ts'
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
  /** By how much it was set while nines did not run, in ms; null: that is not known. */
  jumpedBeforeMs?: () => number | null
}

const reportedForMs = 600_000
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
    jumpedSeconds: () => (stopwatch.now() - last.atMs < reportedForMs ? last.seconds : 0),
  }
}

/** How long this machine has run, in ms, however often its clock was set; `id`: of this run of it. */
export type BootClock = { id: () => string; uptimeMs: () => number }

/** Where there is no such id, which is only on Linux, this throws. */
export const systemBootClock: BootClock = {
  id: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  uptimeMs: () => uptime() * 1000,
}

/** Which time it was by the clock, and how long the machine had run; kept across restarts of nines. */
export type ClockRecord = {
  /** By how much the clock was set while nines did not run, in ms, ahead is positive; null: that is not known. */
  jumpedMs(): number | null
  /** To be called once a minute. Needs no sync: of a machine that lost power it would say nothing anyway. */
  keep(): void
}

/**
 * Without it, a clock that was set ahead looks like a nines that was switched off; so it does once the machine was
 * restarted.
 */
export function createClockRecord(dataDir: string, clock: Clock, boot: BootClock = systemBootClock): ClockRecord {
  const path = join(dataDir, clockRecordName)
  return {
    jumpedMs() {
      try {
        const [id, wallMs, uptimeMs] = readFileSync(path, 'utf8').trim().split(' ')
        if (id !== boot.id()) return null
        const jumpMs = clock.now() - Number(wallMs) - (boot.uptimeMs() - Number(uptimeMs))
        return Number.isFinite(jumpMs) ? jumpMs : null
      } catch {
        return null // there is none yet
      }
    },
    keep() {
      try {
        const draft = `${path}.draft`
        writeFileSync(draft, `${boot.id()} ${clock.now()} ${boot.uptimeMs()}\n`, { mode: 0o600 })
        renameSync(draft, path)
      } catch {} // on a full disk, say: that is a condition of its own
    },
  }
}
