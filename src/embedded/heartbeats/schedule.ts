import { Cron } from 'croner'
import { invalid } from '../../errors.ts'

/** Times at which a job is expected to report: a period after its last report, or the times of a cron expression. */
export type Schedule = { periodMs: number } | { cron: string; timeZone: string }

/** First time after `afterMs` at which a run is expected. */
export function nextDue(schedule: Schedule, afterMs: number): number {
  if ('periodMs' in schedule) return afterMs + schedule.periodMs
  const next = timesOf(schedule).next(afterMs)
  if (next === null) throw new Error(`${schedule.cron} must have a next time`)
  return next
}

/** Throws `invalid` for an expression or a zone that is not valid, and for an expression that matches no time. */
export function assertCron(cron: string, timeZone: string, nowMs: number): void {
  try {
    Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw invalid('time_zone', 'must be the name of an IANA time zone, such as Europe/Zurich')
  }
  const isShort = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(cron)
  if (!isShort && cron.split(' ').length !== 5) throw notCron()
  let next: number | null
  try {
    next = createTimes(cron, timeZone).next(nowMs)
  } catch {
    throw notCron()
  }
  if (next === null) throw invalid('cron', 'must name a time that comes, unlike 30 February')
}

function notCron() {
  return invalid(
    'cron',
    'must be a cron expression: minute, hour, day of month, month, day of week, such as 30 2 * * *',
  )
}

type Times = { next(afterMs: number): number | null }

const timesByExpression = new Map<string, Times>()
const maxExpressions = 10_000

function timesOf({ cron, timeZone }: { cron: string; timeZone: string }): Times {
  if (timesByExpression.size >= maxExpressions) timesByExpression.clear()
  return timesByExpression.getOrInsertComputed(`${timeZone} ${cron}`, () => createTimes(cron, timeZone))
}

const maxGapsPerExpression = 4

/** Times of an expression. Caches the last gaps between them: a search takes half a millisecond, and many heartbeats share an expression. */
function createTimes(cron: string, timeZone: string): Times {
  const zone = timeZone === 'UTC' ? { utcOffset: 0 } : { timezone: timeZone }
  const times = new Cron(cron, { ...zone, paused: true })
  const gaps: { fromMs: number; toMs: number }[] = []
  return {
    next(afterMs) {
      const gap = gaps.find(({ fromMs, toMs }) => afterMs >= fromMs && afterMs < toMs)
      if (gap) return gap.toMs
      const toMs = times.nextRun(new Date(afterMs))?.getTime()
      if (toMs === undefined) return null
      gaps.push({ fromMs: afterMs, toMs })
      if (gaps.length > maxGapsPerExpression) gaps.shift()
      return toMs
    },
  }
}
