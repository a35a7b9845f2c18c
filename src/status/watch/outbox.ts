import { type Clock, createJumpWatch, hourMs } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { listQueueHeads } from '../exposition-store.ts'
import type { HealthCheckResult } from './watchdog.ts'
import { formatDuration } from './health-checks.ts'

type Deps = {
  db: Pick<Database, 'read'>
  clock: Clock
  stopwatch: Clock
  /** Time in ms that nines has run without a pause: a longer wait in the outbox may come from a pause. */
  runningMs: () => number
  /** Organizations whose notifications count. */
  watched: () => Promise<'all' | number>
}

/** Limit for a notification that is due and not tried: the outbox does not work, or is too slow. */
const dueLimitMs = 300_000
/** Limit for a notification that waits for a failing receiver. Urgent ones are no longer retried after half an hour. */
const troubledLimitMs = hourMs

/** Checks that the outbox is delivered, by the oldest notification of each channel. */
export function watchOutbox({ db, clock, stopwatch, runningMs, watched }: Deps): () => Promise<HealthCheckResult> {
  const jumpedMs = createJumpWatch({ clock, stopwatch })
  return async () => {
    const hasJumped = jumpedMs() !== 0 // the times in the outbox are adjusted within a second
    if (hasJumped) return undefined
    const nowMs = clock.now()
    const scope = await watched()
    const all = await listQueueHeads(db.read, nowMs)
    const heads = all.filter(({ organizationId }) => scope === 'all' || organizationId === scope)
    const late = heads.filter(({ isTroubled, createdMs, dueMs }) =>
      isTroubled ? nowMs - createdMs >= troubledLimitMs : nowMs - dueMs >= dueLimitMs,
    )
    const overdue = late.filter(({ isTroubled }) => !isTroubled && runningMs() >= dueLimitMs)
    const stuck = late.filter(({ isTroubled }) => isTroubled && runningMs() >= troubledLimitMs)
    const problems = [
      ...(overdue.length > 0 ? [`through ${overdue.length} channels for ${formatDuration(dueLimitMs)} or longer`] : []),
      ...(stuck.length > 0
        ? [`through ${stuck.length} channels whose receivers fail, for ${formatDuration(troubledLimitMs)} or longer`]
        : []),
    ]
    if (problems.length === 0) return late.length === 0 ? null : undefined
    return `notifications wait to be delivered ${problems.join(', and ')}`
  }
}
