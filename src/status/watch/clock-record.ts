import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { clockRecordName } from '../../db/backup/parts.ts'

/** How long this machine has run, in ms, however often its clock was set; `id`: of this run of it. */
export type BootClock = { id: () => string; uptimeMs: () => number }

/** Where there is no such id, which is only on Linux, this throws. */
export const systemBootClock: BootClock = {
  id: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  uptimeMs: () => uptime() * 1000,
}

/** Which time it was by the clock, and how long the machine had run; kept over restarts of nines. */
export type ClockRecord = {
  /** By how much the clock was set while nines did not run, in ms, ahead is positive; null: that cannot be told. */
  jumpedMs(): number | null
  /** To be called once a minute. Needs no sync: of a machine that lost power it would say nothing anyway. */
  keep(): void
}

/**
 * Without it, a clock that was set ahead cannot be told from a nines that was switched off; nor can it once the machine was
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
