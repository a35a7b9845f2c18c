/** A stretch of time and the steps through it; seconds since the epoch. */
export type Span = { fromSeconds: number; toSeconds: number; stepSeconds: number }

/** What a field of the range cannot be read as. */
export type SpanProblem = { field: 'from' | 'to' | 'step'; message: string }

/** The ranges to choose from; each ends now. */
export const ranges = ['1h', '6h', '24h', '7d', '30d'] as const

/** As many as Prometheus allows. */
const maxSteps = 11_000
const pointsOfAuto = 400
const autoSteps = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]

const unitSeconds = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 } as const

/** Seconds of a duration as Prometheus writes it (`90s`, `1h30m`), or of a plain number; null for what is none. */
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
 * A moment in milliseconds since the epoch: `now`, `now-3h`, milliseconds, or a date and time of the viewer's zone
 * (`2026-11-18 02:00`) unless it names another. Null for what is none.
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
  if (/^\d{4}-\d\d-\d\d$/.test(trimmed)) return orNull(Date.parse(`${trimmed}T00:00`))
  if (/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/.test(trimmed)) {
    return orNull(Date.parse(trimmed.replace(' ', 'T')))
  }
  return null
}

function orNull(ms: number): number | null {
  return Number.isNaN(ms) ? null : ms
}

/** A moment as it stands in the field: what is relative as it is, the rest as a time of the viewer's zone. */
export function momentText(text: string): string {
  return /^\d{11,14}$/.test(text) ? localText(Number(text)) : text
}

/** A moment as it stands in an address: what is relative as it is, the rest in milliseconds, which mean the same everywhere. */
export function addressText(text: string, nowMs: number): string {
  const trimmed = text.trim()
  if (trimmed.startsWith('now')) return trimmed.replaceAll(/\s/g, '')
  const ms = readMoment(trimmed, nowMs)
  return ms === null ? trimmed : String(ms)
}

function localText(ms: number): string {
  const at = new Date(ms)
  const two = (n: number) => String(n).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const seconds = at.getSeconds() === 0 ? '' : `:${two(at.getSeconds())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

/** The step that gives about as many points as a chart can show. */
export function autoStep(seconds: number): number {
  return autoSteps.find((step) => seconds / step <= pointsOfAuto) ?? Math.ceil(seconds / pointsOfAuto / 86_400) * 86_400
}

/**
 * What the three fields say. The first moment is a multiple of the step, so that the same points are read again a little
 * later. `step`: empty for the one that fits.
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
