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

function zoneName(timeZone: string): string {
  if (!timeZone.includes('/') || timeZone.startsWith('Etc/')) return timeZone
  return `${timeZone.split('/').at(-1)?.replaceAll('_', ' ')} time`
}

/** Sentence for a job that said that it failed: "Nightly backup reported exit code 3". */
export function failedReason({ name }: Pick<HeartbeatRow, 'name'>, exitCode: number | null): string {
  return `${name} reported ${exitCode === null ? 'a failure' : `exit code ${exitCode}`}`
}
