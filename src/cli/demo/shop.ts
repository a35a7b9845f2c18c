import { minuteMs } from '../../clock.ts'

/** Name of the shop's target, and of its exposition inside nines. */
export const shopName = 'shop'

/** A value of one series. `labels` do not contain its name. */
export type ShopValue = { name: string; labels: Readonly<Record<string, string>>; value: number }

/**
 * The sample service: a shop that opened at a given time and has served customers since. Its counters are a function of that
 * time and the present time, so that its history can be imported as if it had been scraped, and then continues.
 */
export type Shop = {
  /** Values at a time; fastest if called in order of time. */
  valuesAt(timeMs: number): ShopValue[]
  /** The values in the text exposition format 0.0.4. */
  expositionAt(timeMs: number): string
}

type Service = { name: string; perMinute: number; failing: number; slow: number }

/** `failing` and `slow`: the share of requests that fail, or take longer than 250 ms, on a good day. */
const services: Service[] = [
  { name: 'checkout', perMinute: 240, failing: 0.0002, slow: 0.004 },
  { name: 'search', perMinute: 900, failing: 0.0001, slow: 0.003 },
  { name: 'payments', perMinute: 40, failing: 0.0005, slow: 0.01 },
]

/** Buckets of the histogram, in seconds. */
const bounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Counters of a service so far. `seconds`: sum of all durations. `within`: requests that took at most each of `bounds`. */
type ServiceCounters = { good: number; bad: number; seconds: number; within: number[] }

/** `openedMs`: time of the first customer. `liveMs`: time of the demo's first start; incidents are relative to it. */
export function createShop({ openedMs, liveMs }: { openedMs: number; liveMs: number }): Shop {
  const openedMinute = Math.floor(openedMs / minuteMs)
  const incidentOf = incidentsOf(Math.floor(liveMs / minuteMs))
  let countersSoFar = services.map(zeroCounters)
  let nextMinute = openedMinute // the first minute that is not yet counted

  function countUpTo(minute: number) {
    if (minute < nextMinute) {
      countersSoFar = services.map(zeroCounters)
      nextMinute = openedMinute
    }
    for (; nextMinute < minute; nextMinute += 1)
      countersSoFar = countersSoFar.map((sums, at) => plus(sums, countersIn(at, nextMinute)))
  }

  function countersIn(at: number, minute: number): ServiceCounters {
    const service = services[at]
    if (!service) return zeroCounters()
    const incident = incidentOf(service.name, minute)
    const angle = ((minute % day) / day) * 2 * Math.PI
    const busy = 1 - 0.6 * Math.cos(angle) // least at midnight, most at noon
    const total = Math.round(service.perMinute * busy * (0.9 + 0.2 * noise(at, minute)))
    const bad = randomCount(total * Math.max(service.failing, incident.failing ?? 0), noise(at + 10, minute))
    const slow = randomCount(total * Math.max(service.slow, incident.slow ?? 0), noise(at + 20, minute))
    const quick = total - slow
    const within = [0.45 * quick, 0.85 * quick, quick, quick + 0.6 * slow, quick + 0.9 * slow, total].map(Math.round)
    return { good: total - bad, bad, seconds: 0.07 * quick + 0.6 * slow, within }
  }

  function valuesAt(timeMs: number): ShopValue[] {
    const minute = Math.floor(timeMs / minuteMs)
    countUpTo(minute)
    const part = timeMs / minuteMs - minute
    const running = minute < openedMinute ? [] : services
    return [
      ...running.flatMap((service, at) => {
        const sums = countersSoFar[at] ?? zeroCounters()
        return valuesOf(service.name, plus(sums, scaled(countersIn(at, minute), part)))
      }),
      { name: 'shop_packed_items_per_minute', labels: {}, value: packedIn(minute, incidentOf('packing', minute)) },
    ]
  }

  return {
    valuesAt,
    expositionAt: (timeMs) => expositionOf(valuesAt(timeMs)),
  }
}

function packedIn(minute: number, { slow = 0 }: Incident): number {
  return Math.round((260 + 40 * noise(40, minute)) * (1 - slow))
}

function valuesOf(service: string, { good, bad, seconds, within }: ServiceCounters): ShopValue[] {
  const requests = good + bad
  const buckets = within.map((value, at) => ({ le: String(bounds[at]), value }))
  return [
    { name: 'shop_requests_total', labels: { service, code: '200' }, value: good },
    { name: 'shop_requests_total', labels: { service, code: '503' }, value: bad },
    ...[...buckets, { le: '+Inf', value: requests }].map(({ le, value }) => ({
      name: 'shop_request_duration_seconds_bucket',
      labels: { service, le },
      value,
    })),
    { name: 'shop_request_duration_seconds_sum', labels: { service }, value: Math.round(seconds * 1000) / 1000 },
    { name: 'shop_request_duration_seconds_count', labels: { service }, value: requests },
  ]
}

const families = [
  ['shop_requests_total', 'counter', 'Requests answered, by service and status.'],
  ['shop_request_duration_seconds', 'histogram', 'Time to answer a request.'],
  ['shop_packed_items_per_minute', 'gauge', 'Items that the warehouse packs.'],
] as const

function expositionOf(values: ShopValue[]): string {
  return families
    .map(([family, type, help]) => {
      const lines = values
        .filter(({ name }) => name.startsWith(family))
        .map(({ name, labels, value }) => {
          const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
          return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
        })
      return `# HELP ${family} ${help}\n# TYPE ${family} ${type}\n${lines.join('')}`
    })
    .join('')
}

const zeroCounters = (): ServiceCounters => ({ good: 0, bad: 0, seconds: 0, within: bounds.map(() => 0) })

function plus(one: ServiceCounters, other: ServiceCounters): ServiceCounters {
  return {
    good: one.good + other.good,
    bad: one.bad + other.bad,
    seconds: one.seconds + other.seconds,
    within: one.within.map((count, at) => count + (other.within[at] ?? 0)),
  }
}

/** Counts after a part of a minute; never decreases as `part` grows. */
function scaled({ good, bad, seconds, within }: ServiceCounters, part: number): ServiceCounters {
  const [goodSoFar, badSoFar] = [Math.floor(good * part), Math.floor(bad * part)]
  const max = goodSoFar + badSoFar
  return {
    good: goodSoFar,
    bad: badSoFar,
    seconds: seconds * part,
    within: within.map((count) => Math.min(max, Math.floor(count * part))),
  }
}

/** A whole number that equals `expected` on average, for `chance` evenly distributed in [0, 1). */
function randomCount(expected: number, chance: number): number {
  return Math.floor(expected + chance)
}

/** Pseudo-random number in [0, 1), the same for the same arguments. */
function noise(stream: number, minute: number): number {
  let hash = Math.imul(stream + 1, 0x9e3779b1) ^ Math.imul(minute, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}

/** An incident: share of requests that fail, or are slow (for packing: of items not packed). */
type Incident = { failing?: number; slow?: number }

type PlannedIncident = Incident & { service: string; beginsMinute: number; minutes: number }

const hour = 60 // in minutes, like all times of incidents
const day = 24 * hour

/** Incidents relative to the minute of the demo's first start. The last one is still ongoing then. */
const incidents: PlannedIncident[] = [
  { service: 'checkout', beginsMinute: -31 * day + 9 * hour, minutes: 40, failing: 0.08 },
  { service: 'payments', beginsMinute: -27 * day, minutes: 3 * day, failing: 0.009 }, // slow, and long
  { service: 'search', beginsMinute: -24 * day + 15 * hour, minutes: 2 * hour, slow: 0.3 },
  { service: 'checkout', beginsMinute: -18 * day + 20 * hour, minutes: 15, failing: 0.9 }, // an outage
  { service: 'search', beginsMinute: -18 * day + 20 * hour, minutes: 15, failing: 0.05, slow: 0.5 },
  { service: 'packing', beginsMinute: -13 * day + 4 * hour, minutes: 6 * hour, slow: 0.45 },
  { service: 'payments', beginsMinute: -9 * day + 11 * hour, minutes: 40, failing: 0.2 },
  { service: 'search', beginsMinute: -6 * day + 8 * hour, minutes: 50, slow: 0.25 },
  { service: 'checkout', beginsMinute: -3 * day + 13 * hour, minutes: 30, failing: 0.05 },
  { service: 'packing', beginsMinute: -1 * day - 2 * hour, minutes: 90, slow: 0.5 },
  { service: 'checkout', beginsMinute: -25, minutes: 70, failing: 0.06 },
]

/** Planned incidents, in minutes since the demo's first start, by the `service` label of the SLOs that they are about. */
export const plannedIncidents: readonly Readonly<Record<'beginsMinute' | 'minutes', number> & { service: string }>[] =
  incidents

const rotation = ['search', 'payments', 'checkout'] as const

/**
 * Finds the incident of a service in a minute. From a day after the first start, there is one daily from 14:00 to 14:20 UTC.
 */
function incidentsOf(liveMinute: number): (service: string, minute: number) => Incident {
  return (service, minute) => {
    const planned = incidents.find((one) => {
      const since = minute - liveMinute - one.beginsMinute
      return one.service === service && since >= 0 && since < one.minutes
    })
    if (planned) return planned
    const [today, minuteOfDay] = [Math.floor(minute / day), minute % day]
    const isDaily = minute > liveMinute + day && minuteOfDay >= 14 * hour && minuteOfDay < 14 * hour + 20
    return isDaily && rotation[today % rotation.length] === service ? { failing: 0.1, slow: 0.2 } : {}
  }
}
