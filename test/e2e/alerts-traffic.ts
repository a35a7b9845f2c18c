import { encodeLabels, type RemoteSample } from '../support/remote-write.ts'

/** Times are Unix seconds; `minute` counts from the start of the live part. */
const liveFrom = Date.parse('2026-03-02T23:10:00Z') / 1000
export const lastMinute = 180
export const historySeconds = 30 * 3600

const minute = 60
export const atMinute = (minutes: number) => liveFrom + minutes * minute

/** `fails`: error ratio; `trouble`: another ratio for some minutes. */
type Service = {
  scrapedAtSecond: number
  fails: number
  trouble?: { from: number; to: number; fails: number }
}

/** Services with 500 to 700 requests a minute. */
export const services = {
  /** Has the incident. */
  checkout: { scrapedAtSecond: 17, fails: 1 / 6000, trouble: { from: 30, to: 55, fails: 0.2 } },
  /** Burns slowly, from well before the start. */
  search: { scrapedAtSecond: 41, fails: 1 / 6000, trouble: { from: -153, to: 135, fails: 0.008 } },
  /** Bad enough, but too short to page anybody. */
  payments: { scrapedAtSecond: 5, fails: 1 / 6000, trouble: { from: 40, to: 43, fails: 0.1 } },
  /** No trouble. */
  catalog: { scrapedAtSecond: 29, fails: 1 / 4000 },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services
export const serviceNames = Object.keys(services) as ServiceName[]

export type Counted = { failed: number; all: number }

/** Events counted in the window of `windowSeconds` that ends at `atSeconds`. */
export type Count = (atSeconds: number, windowSeconds: number) => Counted

export type Traffic = {
  /** The events that really happened. */
  events: Count
  /** The increase of the samples in the window: last minus first. */
  sampled: Count
  samples: RemoteSample[]
}

export function allTraffic(): Record<ServiceName, Traffic> {
  return {
    checkout: trafficOf('checkout'),
    search: trafficOf('search'),
    payments: trafficOf('payments'),
    catalog: trafficOf('catalog'),
  }
}

/** Traffic of a service, second by second; its counters start at the first scrape. */
function trafficOf(name: ServiceName): Traffic {
  const { scrapedAtSecond, fails, trouble }: Service = services[name]
  const begin = liveFrom - historySeconds + scrapedAtSecond
  const end = atMinute(lastMinute)
  const [all, failed] = [[0], [0]]
  for (let at = begin + 1, failures = 0; at <= end; at += 1) {
    const minutes = Math.floor((at - liveFrom) / minute)
    const requests = 8 + (((minutes % 5) + 5) % 5)
    const isTroubled = trouble !== undefined && at > atMinute(trouble.from) && at <= atMinute(trouble.to)
    failures += requests * (isTroubled ? trouble.fails : fails)
    all.push((all.at(-1) ?? 0) + requests)
    failed.push(Math.floor(failures + 1e-6))
  }
  const upTo = (at: number): Counted => ({ all: all[at - begin] ?? 0, failed: failed[at - begin] ?? 0 })
  const between = (first: number, last: number): Counted => {
    const [before, after] = [upTo(first), upTo(last)]
    return { all: after.all - before.all, failed: after.failed - before.failed }
  }
  const scrapeAtOrBefore = (at: number) => begin + Math.floor((at - begin) / minute) * minute
  return {
    events: (at, seconds) => between(Math.max(begin, at - seconds), at),
    sampled: (at, seconds) => {
      const first = scrapeAtOrBefore(at - seconds) + minute
      return between(Math.max(begin, first), scrapeAtOrBefore(at))
    },
    samples: samplesOf(name, begin, end, upTo),
  }
}

function samplesOf(name: string, begin: number, end: number, upTo: (at: number) => Counted): RemoteSample[] {
  const labels = (code: string) =>
    encodeLabels({ __name__: 'http_requests_total', job: name, instance: `${name}:8080`, service: name, code })
  const [good, bad] = [labels('200'), labels('500')]
  const samples: RemoteSample[] = []
  for (let at = begin; at <= end; at += minute) {
    const { all, failed } = upTo(at)
    samples.push(
      { labels: good, atMs: at * 1000, value: all - failed },
      { labels: bad, atMs: at * 1000, value: failed },
    )
  }
  return samples
}
