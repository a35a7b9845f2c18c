import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { type Bed, startBed } from '../support/bed.ts'

/** Real Prometheus with 100,000 series of a day that end at `now` (Unix seconds), and 20 series of a month. */
type SuggestionsBed = Bed & { series: number }

const hours = 25
const stepSeconds = 240
const bounds = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf']
const codes = ['200', '301', '404', '500', '503']
const grpcCodes = ['OK', 'NotFound', 'Unavailable', 'Internal']

/**
 * Starts Prometheus. Its data are generated once, in the folder that NINES_SUGGESTIONS_BED names; that takes two minutes and 3
 * GB of disk.
 */
export function startSuggestionsBed(): Promise<SuggestionsBed> {
  return startBed({ folder: ['NINES_SUGGESTIONS_BED', 'nines-suggestions-bed'], write })
}

/** Writes the samples as OpenMetrics text; returns the number of series. */
async function write(path: string, now: number): Promise<{ series: number }> {
  const file = createWriteStream(path, { highWaterMark: 1 << 22 })
  let series = 0
  const put = async (text: string) => {
    if (!file.write(text)) await once(file, 'drain')
  }
  for (const { type, name, labels, growth, days } of allSeries()) {
    if (type) await put(`# TYPE ${name.replace(/_(total|bucket)$/, '')} ${type}\n`)
    const seconds = days === undefined ? hours * 3600 : days * 86_400
    const step = days === undefined ? stepSeconds : 15
    let value = growth === 0 ? 1 : 0
    const lines: string[] = []
    for (let at = now - seconds; at <= now; at += step) lines.push(`${name}{${labels}} ${(value += growth)} ${at}\n`)
    await put(lines.join(''))
    series += 1
  }
  await put('# EOF\n')
  file.end()
  await once(file, 'finish')
  return { series }
}

/**
 * `type`: set for the first series of a metric. `growth`: per step; 0 for a gauge. `days`: length if scraped every 15 seconds;
 * absent: 25 hours, every 4 minutes.
 */
type Series = { type?: string; name: string; labels: string; growth: number; days?: number }

function* allSeries(): Generator<Series> {
  const times = (n: number) => Array.from({ length: n }, (_, at) => at)
  const service = (at: number) => `service="s${at}",namespace="n${at % 20}"`
  const first = (type: string, isFirst: boolean) => (isFirst ? { type } : {})
  for (const at of times(1000))
    for (const instance of times(2))
      for (const [nth, code] of codes.entries()) {
        const labels = `${service(at)},instance="i${instance}",code="${code}"`
        const isFirst = at + instance + nth === 0
        yield {
          ...first('counter', isFirst),
          name: 'http_requests_total',
          labels,
          growth: nth === 0 ? 500 - (at % 300) : 1,
        }
      }
  for (const at of times(1000))
    for (const instance of times(5)) {
      const base = `${service(at)},instance="i${instance}"`
      for (const [nth, le] of bounds.entries()) {
        const isFirst = at + instance + nth === 0
        const labels = `${base},le="${le}"`
        yield {
          ...first('histogram', isFirst),
          name: 'http_request_duration_seconds_bucket',
          labels,
          growth: 20 * (nth + 1),
        }
      }
      yield { name: 'http_request_duration_seconds_sum', labels: base, growth: 9 }
      yield { name: 'http_request_duration_seconds_count', labels: base, growth: 20 * bounds.length }
    }
  for (const at of times(200))
    for (const [nth, code] of grpcCodes.entries())
      yield {
        ...first('counter', at + nth === 0),
        name: 'grpc_server_handled_total',
        labels: `job="j${at % 20}",grpc_service="g${at}",grpc_code="${code}"`,
        growth: 3,
      }
  for (const [nth, code] of times(20).map((one) => [one, codes[one % 5]] as const))
    yield {
      ...first('counter', nth === 0),
      name: 'traefik_service_requests_total',
      labels: `service="t${Math.floor(nth / 5)}",code="${code}"`,
      growth: 2,
      days: 30,
    }
  for (const at of times(1000))
    yield { ...first('gauge', at === 0), name: 'up', labels: `job="j${at % 20}",instance="i${at}"`, growth: 0 }
  for (const at of times(18_180))
    yield { ...first('counter', at === 0), name: 'node_cpu_seconds_total', labels: `instance="i${at}"`, growth: 7 }
}
