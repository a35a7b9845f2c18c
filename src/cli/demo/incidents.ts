/** What goes wrong: the share of requests that fail, or are slow (of items not packed). */
export type Incident = { failing?: number; slow?: number }

type Told = Incident & { service: string; beginsMinute: number; minutes: number }

const hour = 60
const day = 24 * hour

/** Of the past, counted from the minute in which somebody began to watch, and of the present: the last one goes on. */
const told: Told[] = [
  { service: 'checkout', beginsMinute: -31 * day + 9 * hour, minutes: 40, failing: 0.08 },
  { service: 'payments', beginsMinute: -27 * day, minutes: 3 * day, failing: 0.006 }, // slow, and long
  { service: 'search', beginsMinute: -24 * day + 15 * hour, minutes: 2 * hour, slow: 0.3 },
  { service: 'checkout', beginsMinute: -18 * day + 20 * hour, minutes: 15, failing: 0.9 }, // an outage
  { service: 'search', beginsMinute: -18 * day + 20 * hour, minutes: 15, failing: 0.05, slow: 0.5 },
  { service: 'packing', beginsMinute: -13 * day + 4 * hour, minutes: 6 * hour, slow: 0.45 },
  { service: 'payments', beginsMinute: -9 * day + 11 * hour, minutes: 25, failing: 0.2 },
  { service: 'search', beginsMinute: -6 * day + 8 * hour, minutes: 50, slow: 0.25 },
  { service: 'checkout', beginsMinute: -3 * day + 13 * hour, minutes: 30, failing: 0.04 },
  { service: 'packing', beginsMinute: -1 * day - 2 * hour, minutes: 90, slow: 0.5 },
  { service: 'checkout', beginsMinute: -25, minutes: 70, failing: 0.06 },
]

const rotation = ['search', 'payments', 'checkout'] as const

/** What is wrong with a service in a minute. From tomorrow on, something is every day between 14:00 and 14:20 UTC. */
export function incidentsOf(liveMinute: number): (service: string, minute: number) => Incident {
  return (service, minute) => {
    const now = told.find((one) => {
      const since = minute - liveMinute - one.beginsMinute
      return one.service === service && since >= 0 && since < one.minutes
    })
    if (now) return now
    const [today, ofDay] = [Math.floor(minute / day), minute % day]
    const isDaily = minute > liveMinute + day && ofDay >= 14 * hour && ofDay < 14 * hour + 20
    return isDaily && rotation[today % rotation.length] === service ? { failing: 0.1, slow: 0.2 } : {}
  }
}
