import { atMinute, type Count, historySeconds, lastMinute } from './alerts-traffic.ts'

/** An expected alert, by arithmetic. Times are minutes of the live part; `criticalAt`: when it became critical. */
export type TrueAlert = {
  name: string
  severity: string
  began: number
  criticalAt: number | null
  ended: number | null
}

const allowed = 0.001 // for a target of 99.9
const hour = 3600

/** Multiwindow burn rates of 30 days, implemented again on purpose: the tested code must not check itself. */
const tiers = [
  { severity: 'page', long: hour, short: hour / 12, factor: 14.4 },
  { severity: 'page', long: 6 * hour, short: hour / 2, factor: 6 },
  { severity: 'ticket', long: 24 * hour, short: 2 * hour, factor: 3 },
  { severity: 'ticket', long: 72 * hour, short: 6 * hour, factor: 1 }, // of which the source has less than half
]
/** Percents of the budget of 30 days remaining, of which the traffic of a day and an hour can use little. */
export const thresholds = [95, 90]
const regained = 2

/** Alert conditions by name. Missing names neither fire nor resolve. */
type Readings = Map<string, { isFiring: boolean; severity: string }>

/** Alerts of an SLO, sorted by name, if it is evaluated in the minutes of the live part for which `isSeen` is true. */
export function alertsOf(count: Count, isSeen: (minute: number) => boolean = () => true): TrueAlert[] {
  const alerts: TrueAlert[] = []
  for (let now = 0; now <= lastMinute; now += 1) {
    if (!isSeen(now)) continue
    for (const [name, { isFiring, severity }] of readingsAt(count, atMinute(now))) {
      const open = alerts.find((alert) => alert.name === name && alert.ended === null)
      const criticalAt = severity === 'critical' ? now : null
      if (!open && isFiring) alerts.push({ name, severity, began: now, criticalAt, ended: null })
      else if (open && !isFiring) open.ended = now
      else if (open && open.criticalAt === null && criticalAt !== null) Object.assign(open, { severity, criticalAt })
    }
  }
  return alerts.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function readingsAt(count: Count, at: number): Readings {
  const burning = (seconds: number) => {
    const { failed, all } = count(at, seconds)
    return failed / all / allowed
  }
  /** Share of a window since the first sample: time before it burns nothing. */
  const existing = (seconds: number) => Math.min(1, (at - atMinute(0) + historySeconds) / seconds)
  const used = 100 * burning(30 * 24 * hour)
  const readings: Readings = new Map()
  readings.set('status', { isFiring: burning(hour) > 1, severity: used < 50 ? 'warning' : 'critical' })
  for (const threshold of thresholds) {
    const left = 100 - used * existing(30 * 24 * hour)
    const isUndecided = left > threshold && left <= threshold + regained
    if (isUndecided) continue
    readings.set(`budget:${threshold}`, { isFiring: left <= threshold, severity: 'warning' })
  }
  for (const { severity, long, short, factor } of tiers) {
    const isFiring = burning(long) * existing(long) > factor && burning(short) > factor
    readings.set(`burn_rate:${long}:${short}`, { isFiring, severity })
  }
  return readings
}
