import type { Clock } from '../../../clock.ts'
import type { Finding } from '../watchdog.ts'
import { durationText } from './words.ts'

type Deps = {
  clock: Clock
  /** 0: nobody minds. */
  maxAgeHours: number
  /** In ms; null: there was none. */
  lastBackup: () => number | null
  /** Whether there is anything to lose. */
  hasOrganizations: () => Promise<boolean>
}

/** Whether the last backup is recent enough, and there is one. */
export function watchBackups({ clock, maxAgeHours, lastBackup, hasOrganizations }: Deps): () => Promise<Finding> {
  return async () => {
    if (maxAgeHours === 0) return null
    const lastMs = lastBackup()
    if (lastMs === null) return (await hasOrganizations()) ? 'there is no record of a backup of this data folder' : null
    const ageMs = clock.now() - lastMs
    if (Math.abs(ageMs) <= maxAgeHours * 3_600_000) return null
    if (ageMs < 0) return `the last backup is dated ${durationText(-ageMs)} ahead of now`
    return `the last backup is ${durationText(ageMs)} old`
  }
}
