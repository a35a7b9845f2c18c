import { momentAt, wallTime } from '../zone.ts'

/** A time range and its step, in seconds; `fromSeconds` and `toSeconds` since the epoch. */
export type Span = { fromSeconds: number; toSeconds: number; stepSeconds: number }

/** Problem of a range field that cannot be parsed. */
export type SpanProblem = { field: 'from' | 'to' | 'step'; message: string }

/** Ranges that can be chosen; each ends now. */
export const ranges = ['1h', '6h', '24h', '7d', '30d'] as const

/** Maximum number of points of a series that Prometheus returns. */
const maxSteps = 11_000
const pointsOfAuto = 400
const autoSteps = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]

const unitSeconds = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 } as const

/** Seconds of a Prometheus duration (`90s`, `1h30m`) or a plain number; null if it is neither. */
export function durationSeconds(text: string): number | null {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (!/^(?:\d+(?:ms|[smhdwy]))+$/.test(text)) return null
  let seconds = 0
  for (const [, n, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g)) {
    seconds += Number(n) * unitSeconds[unit as keyof typeof unitSeconds]
  }
  return seconds
}

/**
 * Moment in milliseconds since the epoch. The text is `now`, `now-3h`, milliseconds, a date
 * (`2026-11-18`, its start), or a date and time (`2026-11-18 02:00`); the last two in the reader's zone unless the text names another. Null for
 * any other text.
 */
export function readMoment(text: string, nowMs: number): number | null {
  const trimmed = text.trim()
  if (trimmed === 'now') return nowMs
  const ago = /^now\s*-\s*(.+)$/.exec(trimmed)?.[1]
  if (ago !== undefined) {
    const seconds = durationSeconds(ago)
    return seconds === null ? null : nowMs - seconds * 1000
  }
  if (/^\d{11,14}$/.test(trimmed)) return Number(trimmed)
  if (/^\d{4}-\d\d-\d\d$/.test(trimmed)) return momentOrNull(Date.parse(`${trimmed}T00:00Z`))
  const dateTime = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(trimmed)
  if (dateTime === null) return null
  const time = trimmed.replace(' ', 'T')
  return dateTime[1] === undefined ? momentOrNull(Date.parse(`${time}Z`)) : orNull(Date.parse(time))
}

function momentOrNull(wallMs: number): number | null {
  return Number.isNaN(wallMs) ? null : momentAt(wallMs)
}

function orNull(ms: number): number | null {
  return Number.isNaN(ms) ? null : ms
}

/** Text of a moment for its field: relative ones stay, milliseconds become a time in the reader's zone. */
export function momentText(text: string): string {
  return /^\d{11,14}$/.test(text) ? localText(Number(text)) : text
}

/** Text of a moment for an address: relative ones stay, others become milliseconds, which mean the same in every time zone. */
export function addressText(text: string, nowMs: number): string {
  const trimmed = text.trim()
  if (trimmed.startsWith('now')) return trimmed.replaceAll(/\s/g, '')
  const ms = readMoment(trimmed, nowMs)
  return ms === null ? trimmed : String(ms)
}

function localText(ms: number): string {
  const text = wallTime(ms).toISOString().replace('T', ' ')
  return text.slice(0, text.slice(17, 19) === '00' ? 16 : 19)
}

/** Step in seconds that gives at most 400 points, about as many as a chart can show. */
export function autoStep(seconds: number): number {
  return autoSteps.find((step) => seconds / step <= pointsOfAuto) ?? Math.ceil(seconds / pointsOfAuto / 86_400) * 86_400
}

/**
 * Parses the three fields. The start is a multiple of the step, so that the same points are requested again a little later.
 * `step`: empty for `autoStep`.
 */
export function readSpan(
  { from, to, step }: { from: string; to: string; step: string },
  nowMs: number,
): Span | SpanProblem {
  const example = 'must be now, now-3h, a date, or a date and time such as 2026-11-18 02:00'
  const fromMs = readMoment(from, nowMs)
  if (fromMs === null) return { field: 'from', message: example }
  const toMs = readMoment(to, nowMs)
  if (toMs === null) return { field: 'to', message: example }
  if (fromMs >= toMs) return { field: 'from', message: 'must be before To' }
  const seconds = (toMs - fromMs) / 1000
  const stepSeconds = step.trim() === '' ? autoStep(seconds) : durationSeconds(step.trim())
  if (stepSeconds === null || stepSeconds <= 0)
    return { field: 'step', message: 'must be a duration such as 30s or 5m' }
  if (seconds / stepSeconds > maxSteps) {
    return { field: 'step', message: `must be at least ${Math.ceil(seconds / maxSteps)}s for this range` }
  }
  return {
    fromSeconds: Math.floor(fromMs / 1000 / stepSeconds) * stepSeconds,
    toSeconds: toMs / 1000,
    stepSeconds,
  }
}
