import type { FakeReply, FakeSeries, Script } from './fake-source.ts'

/** Requests per second of a service and how many of them fail, at a time (Unix seconds) or always. Null: no series. */
export type Traffic = { total: number; bad: number } | null
export type Services = Record<string, Traffic | ((timeSeconds: number) => Traffic)>

/** An SLO over `requests_total{service=…}` with errors `code=~"5.."`. */
export const countedSlo = (service: string) => ({
  name: service,
  target: 99.9,
  time_window: '30d',
  metric_type: 'availability',
  bad_query: `sum(rate(requests_total{service="${service}",code=~"5.."}[5m]))`,
  total_query: `sum(rate(requests_total{service="${service}"}[5m]))`,
})

const minute = 60

/**
 * Script for a fake source that answers the queries nines sends for counters, like a source scraped at the 45th second of each
 * minute. Answers over a range are exact sums minute by minute, without extrapolation.
 */
export function countingScript(services: Services): Script {
  const levels = new Map<string, number>()
  return (expression, timeSeconds): FakeReply => {
    const wanted = Object.keys(services).filter((name) => names(expression, name))
    const isGrouped = expression.includes('by (service)')
    const isWhole = /\) \/ \(/.test(expression)
    if (isWhole) {
      const [name = ''] = wanted
      const at = seconds(expression)
      const total = counted(services[name], timeSeconds, at, false)
      const bad = counted(services[name], timeSeconds, at, true)
      return total === null ? null : total === 0 ? NaN : 1 - (bad ?? 0) / total
    }
    const isBad = expression.includes('5..')
    const series = wanted.flatMap((name): FakeSeries[] => {
      const value = isLevel(expression)
        ? levelAt(
            services[name],
            timeSeconds,
            isBad,
            levels.getOrInsertComputed(name, () => timeSeconds),
          )
        : valueOf(expression, services[name], timeSeconds, isBad)
      return value === null ? [] : [{ labels: isGrouped ? { service: name } : {}, value }]
    })
    return series
  }
}

function valueOf(expression: string, service: Services[string] | undefined, at: number, isBad: boolean): number | null {
  const now = trafficAt(service, at)
  if (expression.includes('timestamp(')) return expression.startsWith('count') ? null : now && minute
  if (expression.startsWith('count_over_time')) return now && seconds(expression.slice(expression.lastIndexOf(')[')))
  if (expression.includes(' unless ')) return (now === null) === (trafficAt(service, at - minute) === null) ? null : 1
  if (expression.includes('increase(')) return counted(service, at, seconds(expression), isBad)
  // one value a minute
  if (expression.includes('last_over_time(')) return at % minute === 0 ? counted(service, at, minute, isBad) : null
  const gained = counted(service, at, minute, isBad)
  return gained === null || !now ? null : expression.includes('min_over_time') ? gained / 4 : gained
}

/** A sum of counters, without a function over them. */
const isLevel = (expression: string) => /^sum[^(]*(\([^()]*\) )?\([^()]*\)$/.test(expression)

/** Value of a counter that had a million at a time. */
function levelAt(
  service: Services[string] | undefined,
  at: number,
  isBad: boolean,
  millionAtSeconds: number,
): number | null {
  if (!trafficAt(service, at)) return null
  const [from, until] = [Math.min(at, millionAtSeconds), Math.max(at, millionAtSeconds)]
  const since = from === until ? 0 : (counted(service, until, until - from, isBad) ?? 0)
  return 1e6 + (at === until ? since : -since)
}

function counted(service: Services[string] | undefined, end: number, length: number, isBad: boolean): number | null {
  if (typeof service !== 'function') {
    const traffic = trafficAt(service, end)
    return traffic && (isBad ? traffic.bad : traffic.total) * length
  }
  let sum: number | null = null
  for (let at = end - length + minute; at <= end; at += minute) {
    const traffic = service(at)
    if (traffic) sum = (sum ?? 0) + (isBad ? traffic.bad : traffic.total) * minute
  }
  return sum
}

function trafficAt(service: Services[string] | undefined, at: number): Traffic {
  return typeof service === 'function' ? service(at) : (service ?? null)
}

function names(expression: string, service: string): boolean {
  const [, , values = ''] = /service(=~?)"([^"]*)"/.exec(expression) ?? []
  return values.split('|').includes(service)
}

function seconds(expression: string): number {
  return Number(/\[(\d+)s[\]:]/.exec(expression)?.[1])
}
