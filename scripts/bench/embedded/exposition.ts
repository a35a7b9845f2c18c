import { runSync } from '../../../src/concurrency/cooperative.ts'
import { createScrapeCache } from '../../../src/embedded/exposition/scrape-cache.ts'
import { parsingExposition } from '../../../src/embedded/exposition/parse.ts'
import { defaultLimits } from '../../../src/embedded/exposition/sample.ts'
import { median } from '../support/load.ts'

const rounds = 7
const minTextBytes = 20_000_000

/**
 * Measures parsing of an exposition on one core: a histogram by route and status, in both formats, without a scrape cache and
 * with the cache of the previous scrape. Baseline: decoding the text and finding its line breaks.
 */
export async function benchExposition(): Promise<void> {
  const text = Buffer.from(serviceText(''))
  const openMetrics = Buffer.from(`${serviceText(' 1795284084.123')}# EOF\n`)
  /** By label of the output; `read` returns the number of lines or samples. */
  const cases: Record<string, { body: Buffer; read(): number }> = {
    'decode, find line breaks': { body: text, read: () => countLines(text) },
    'text format': { body: text, read: () => parseFirst(text, null) },
    'text format, cached': { body: text, read: () => parseAgain(text, null) },
    'OpenMetrics, cached': { body: openMetrics, read: () => parseAgain(openMetrics, 'application/openmetrics-text') },
    OpenMetrics: { body: openMetrics, read: () => parseFirst(openMetrics, 'application/openmetrics-text') },
  }
  const newCache = () => createScrapeCache({ keepEmpty: true, limits: defaultLimits })
  const [textCache, openMetricsCache] = [newCache(), newCache()]
  function parseFirst(body: Buffer, contentType: string | null): number {
    return runSync(parsingExposition(body, contentType, newCache())).samples.length
  }
  function parseAgain(body: Buffer, contentType: string | null): number {
    return runSync(parsingExposition(body, contentType, contentType === null ? textCache : openMetricsCache)).samples
      .length
  }
  const seconds = new Map(Object.keys(cases).map((name) => [name, [] as number[]]))
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { read }] of Object.entries(cases)) {
      const started = performance.now()
      counts.set(name, read())
      seconds.get(name)?.push((performance.now() - started) / 1000)
    }
  }
  process.stdout.write(`\nreading an exposition, median of ${rounds} rounds\n`)
  for (const [name, { body }] of Object.entries(cases)) {
    const took = median(seconds.get(name) ?? [])
    const megabytes = (body.length / took / 1e6).toFixed(0).padStart(6)
    const samples = ((counts.get(name) ?? 0) / took / 1000).toFixed(0).padStart(7)
    process.stdout.write(`  ${name.padEnd(26)} ${megabytes} MB/s  ${samples} thousand lines/s\n`)
  }
}

function countLines(bytes: Buffer): number {
  const text = bytes.toString('utf8')
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Exposition of 20 MB in the text format. `time`: end of each line, such as a timestamp. */
function serviceText(time: string): string {
  const parts = ['# HELP http_request_duration_seconds Seconds.\n# TYPE http_request_duration_seconds histogram\n']
  let bytes = 0
  for (let route = 0; bytes < minTextBytes; route += 1) {
    for (const code of ['200', '404', '500']) {
      const labels = `method="GET",route="/api/v1/things/${route}",code="${code}"`
      const buckets = ['0.005', '0.01', '0.1', '0.25', '1', '+Inf'].map(
        (le, at) => `http_request_duration_seconds_bucket{${labels},le="${le}"} ${route * 17 + at}${time}\n`,
      )
      const sum = `http_request_duration_seconds_sum{${labels}} ${route * 1.7351}${time}\n`
      const part = `${buckets.join('')}${sum}http_request_duration_seconds_count{${labels}} ${route * 17 + 5}${time}\n`
      parts.push(part)
      bytes += part.length
    }
  }
  return parts.join('')
}
