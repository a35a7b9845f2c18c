import { noise } from './data.ts'

/** Scrape target with 10,000 series in the text format: an hour of scrapes every 15 s, to be scraped every `paceMs`. */
export type Target = { address: string; stop(): Promise<void> }

export const seriesCount = 10_000
export const scrapes = 240
export const stepMs = 15_000
export const paceMs = 150

/**
 * Starts the target, whose samples have timestamps. `onScrape` gets the number of each request, from 1. After the last scrape,
 * the response stays the same.
 */
export function startTarget(firstMs: number, onScrape: (count: number) => void): Target {
  const names = Array.from({ length: seriesCount }, (_, index) => nameOf(index))
  let count = 0
  let body = ''
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      count += 1
      if (count <= scrapes) {
        const at = ` ${firstMs + count * stepMs + Math.floor(5 * noise(count))}\n`
        body = names.map((name, index) => `${name} ${valueOf(count, index)}${at}`).join('')
      }
      onScrape(count)
      return new Response(body, { headers: { 'content-type': 'text/plain; version=0.0.4' } })
    },
  })
  return { address: `127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

function nameOf(index: number): string {
  return `http_server_things{method="GET",code="20${index % 5}",pod="10.0.0.${index % 250}",path="/api/v1/${index}"}`
}

/** Value of a series: of ten, seven request counters, a gauge, a duration in microsecond precision, and a constant. */
export function valueOf(round: number, index: number): number {
  if (index % 10 === 7) return Math.floor(50 * noise(round * 31 + index))
  if (index % 10 === 8) return Math.round(1e6 * (0.02 + 0.01 * noise(round * 17 + index))) / 1e6
  if (index % 10 === 9) return 1
  return round * (100 + index) + Math.floor(80 * noise(round * 7 + index))
}
