import { FieldProblem } from '../../../ui/form/assign-problems.ts'
import { linesOf, readLines } from '../form/lines.ts'
import type { Heartbeat } from '../types.ts'

/** A heartbeat in its form. `by`: the kind of its schedule, a period or a cron expression. */
export type HeartbeatDraft = {
  name: string
  by: 'period' | 'cron'
  period: string
  cron: string
  timeZone: string
  grace: string
  slug: string
  labels: string
}

/** API fields of the values whose names differ from those in the API. */
export const heartbeatNames = { period: 'period_seconds', timeZone: 'time_zone', grace: 'grace_seconds' }

/** Values of the form. `timeZone`: that of a new cron expression. */
export function draftOfHeartbeat(of: Heartbeat | null, timeZone: string): HeartbeatDraft {
  return {
    name: of?.name ?? '',
    by: of !== null && of.cron !== null ? 'cron' : 'period',
    period: durationText(of?.period_seconds ?? 86_400),
    cron: of?.cron ?? '30 2 * * *',
    timeZone: of?.time_zone ?? timeZone,
    grace: durationText(of?.grace_seconds ?? 300),
    slug: of?.slug ?? '',
    labels: linesOf(of?.labels ?? {}, '='),
  }
}

/** Request body of a heartbeat. Throws `FieldProblem` for an invalid field. */
export function bodyOfHeartbeat({ name, by, period, cron, timeZone, grace, slug, labels }: HeartbeatDraft): object {
  const isCron = by === 'cron'
  return {
    name,
    period_seconds: isCron ? null : readDuration(period, 'period_seconds'),
    cron: isCron ? cron.trim() : null,
    time_zone: isCron ? timeZone.trim() : null,
    grace_seconds: readDuration(grace, 'grace_seconds'),
    ...(slug.trim() !== '' && { slug: slug.trim() }),
    labels: readLines(labels, '=', 'labels'),
  }
}

const minSeconds = 60
const maxSeconds = 365 * 86_400

const units: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** A duration to type: `1 h 30 min`. */
export function durationText(seconds: number): string {
  let left = seconds
  const parts: string[] = []
  for (const [unit, size] of units) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.join(' ') || '0 s'
}

/** Seconds of a typed duration, the reverse of `durationText`; `m` is minutes too. Throws a `FieldProblem` for another text. */
export function readDuration(text: string, field: string): number {
  const typed = text.toLowerCase().trim()
  if (!/^(?:\d+\s*(?:d|h|min|m|s)\s*)+$/.test(typed)) {
    throw new FieldProblem(field, 'must be a duration such as 5 min, 1 h or 1 d')
  }
  const sizes = new Map([...units, ['m', 60] as const])
  const seconds = [...typed.matchAll(/(\d+)\s*([a-z]+)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (sizes.get(unit ?? '') ?? 0),
    0,
  )
  if (seconds < minSeconds || seconds > maxSeconds) throw new FieldProblem(field, 'must be between 1 min and 365 d')
  return seconds
}
