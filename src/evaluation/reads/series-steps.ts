import { minuteStartSeconds } from '../../clock.ts'
import { invalid } from '../../errors.ts'

/** Requested range: a period, or a start and an optional end. Lengths are whole minutes. */
type SeriesRequest = {
  periodSeconds?: number | undefined
  startMs?: number | undefined
  endMs?: number | undefined
  stepSeconds?: number | undefined
}

export type Steps = { startSeconds: number; endSeconds: number; stepSeconds: number }

export const maxPoints = 1000
const defaultPeriodSeconds = 86_400
const defaultPoints = 24
const maxAheadMs = 30_000

/**
 * Whole steps of a series, aligned to UTC: to days or hours if the step is a multiple of one, otherwise to the step. The last
 * step ends at the last aligned time by now, or by `endMs`. A period gets as many steps as fit into it. Default: one day, in 24
 * points. Throws `invalid`, naming the parameter.
 */
export function seriesSteps({ periodSeconds, startMs, endMs, stepSeconds }: SeriesRequest, nowMs: number): Steps {
  if (periodSeconds !== undefined && (startMs ?? endMs) !== undefined) {
    throw invalid('period', 'cannot be sent with start or end')
  }
  if (startMs === undefined && endMs !== undefined) throw invalid('start', 'is required with end')
  if (endMs !== undefined && endMs > nowMs + maxAheadMs)
    throw invalid('end', 'must be a time that is not in the future')

  const untilMs = endMs ?? nowMs
  const seconds = startMs === undefined ? (periodSeconds ?? defaultPeriodSeconds) : (untilMs - startMs) / 1000
  const step = stepSeconds ?? defaultStep(seconds)
  const alignmentSeconds = [86_400, 3600].find((whole) => step % whole === 0) ?? step
  const alignDown = (timeMs: number) => Math.floor(timeMs / 1000 / alignmentSeconds) * alignmentSeconds
  const endSeconds = alignDown(untilMs)
  const span = startMs === undefined ? seconds : endSeconds - alignDown(startMs)
  const startSeconds = endSeconds - Math.floor(span / step) * step

  const startParameter = startMs === undefined ? 'period' : 'start'
  const points = (endSeconds - startSeconds) / step
  if (startSeconds < 0) throw invalid(startParameter, 'must be a time after 1970')
  if (points < 1) throw invalid(startParameter, 'must have at least one step before the end')
  if (points > maxPoints) throw invalid('step', `must give at most ${maxPoints} points, not ${points}`)
  return { startSeconds, endSeconds, stepSeconds: step }
}

/** Part of the open step whose minutes have ended; null: none of them has. */
export function openStep({ endSeconds: startSeconds }: Steps, nowMs: number): Omit<Steps, 'stepSeconds'> | null {
  const endSeconds = minuteStartSeconds(nowMs)
  return endSeconds > startSeconds ? { startSeconds, endSeconds } : null
}

function defaultStep(seconds: number): number {
  return Math.max(60, Math.floor(seconds / defaultPoints / 60) * 60)
}
