import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { type Clock, createJumpWatch } from '../../clock.ts'
import { clockRecordName } from '../../db/backup/parts.ts'
import type { Log } from '../../log.ts'

/** Detects when the clock of this machine is set. Times that were stored before then do not match the new clock. */
export type ClockWatch = {
  /** Call it every second. */
  check(): Promise<void>
  /** Seconds of the last jump, ahead is positive; 0: none within the last ten minutes. */
  jumpedSeconds(): number
}

type Deps = {
  clock: Clock
  stopwatch: Clock
  log: Log
  /** Newest time that was stored before the start; null: there is none. */
  newestMs: Promise<number | null>
  /** Milliseconds by which the clock was set while nines did not run; null: not known. */
  jumpedBeforeMs?: () => number | null
}

const reportedForMs = 600_000
const minJumpAtStartMs = 5000

export function createClockWatch({ clock, stopwatch, log, newestMs, jumpedBeforeMs = () => null }: Deps): ClockWatch {
  const jumpedMs = createJumpWatch({ clock, stopwatch })
  let last = { seconds: 0, atMs: -Infinity }
  let isStarted = false

  function recordJump(jumpMs: number): void {
    const seconds = Math.round(jumpMs / 1000)
    last = { seconds, atMs: stopwatch.now() }
    log.warn('clock jumped', { seconds, advice: 'compare the clock of this machine with that of its metrics sources' })
  }

  /** Notes a clock that was set while nines did not run. The newest stored time reveals only a clock that was set back. */
  async function compareWithBefore(): Promise<void> {
    const jumpMs = jumpedBeforeMs() ?? 0
    if (Math.abs(jumpMs) > minJumpAtStartMs) return recordJump(jumpMs)
    const beforeMs = (await newestMs) ?? -Infinity
    if (beforeMs - clock.now() > minJumpAtStartMs) recordJump(clock.now() - beforeMs)
  }

  return {
    async check() {
      const jumpMs = jumpedMs()
      if (jumpMs !== 0) recordJump(jumpMs)
      if (isStarted) return
      isStarted = true
      await compareWithBefore()
    },
    jumpedSeconds: () => (stopwatch.now() - last.atMs < reportedForMs ? last.seconds : 0),
  }
}

/** Uptime of this machine in ms, unaffected by clock changes; `id` identifies the boot. */
export type BootClock = { id: () => string; uptimeMs: () => number }

/** Boot clock of the system. Throws if there is no boot id, which exists only on Linux. */
export const systemBootClock: BootClock = {
  id: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  uptimeMs: () => uptime() * 1000,
}

/** Record of the clock time and the machine's uptime, kept across restarts of nines. */
export type ClockRecord = {
  /** Milliseconds by which the clock was set while nines did not run, ahead is positive; null: not known. */
  jumpedMs(): number | null
  /** Writes the record. Call it once a minute. Needs no fsync: a power loss makes it useless anyway. */
  write(): void
}

/**
 * Creates the clock record in the data folder. Without it, or after a reboot, a clock that was set ahead looks as if nines had
 * been switched off.
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
        return null // there is no record yet
      }
    },
    write() {
      try {
        const draft = `${path}.draft`
        writeFileSync(draft, `${boot.id()} ${clock.now()} ${boot.uptimeMs()}\n`, { mode: 0o600 })
        renameSync(draft, path)
      } catch {} // such as on a full disk, which has a separate condition
    },
  }
}
