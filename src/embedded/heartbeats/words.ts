import type { HeartbeatRow } from '../../db/tables/tables.ts'

/** Sentence for a run whose deadline has passed: "Nightly backup has not reported by 02:30 Zurich time". */
export function missedReason(
  { name, time_zone }: Pick<HeartbeatRow, 'name' | 'time_zone'>,
  deadlineMs: number,
): string {
  const timeZone = time_zone ?? 'UTC'
  const time = new Date(deadlineMs).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })
  return `${name} has not reported by ${time} ${zoneName(timeZone)}`
}

/** When a missed run was due, and the last success: "it was due at 02:30:00 Zurich time, and last succeeded on 27 November at 02:31:07". */
export function missedDetails(
  { time_zone, last_success_at: lastMs }: Pick<HeartbeatRow, 'time_zone' | 'last_success_at'>,
  dueMs: number,
): string {
  const timeZone = time_zone ?? 'UTC'
  const time = (ms: number) => `at ${new Date(ms).toLocaleTimeString('en-GB', { timeZone })}`
  const day = (ms: number) => new Date(ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone })
  const due = `it was due ${time(dueMs)} ${zoneName(timeZone)}`
  if (lastMs === null) return `${due}, and has never succeeded`
  return `${due}, and last succeeded ${day(lastMs) === day(dueMs) ? '' : `on ${day(lastMs)} `}${time(lastMs)}`
}

function zoneName(timeZone: string): string {
  if (!timeZone.includes('/') || timeZone.startsWith('Etc/')) return timeZone
  return `${timeZone.split('/').at(-1)?.replaceAll('_', ' ')} time`
}

/** Sentence for a job that said that it failed: "Nightly backup reported exit code 3". */
export function failedReason({ name }: Pick<HeartbeatRow, 'name'>, exitCode: number | null): string {
  return `${name} reported ${exitCode === null ? 'a failure' : `exit code ${exitCode}`}`
}
