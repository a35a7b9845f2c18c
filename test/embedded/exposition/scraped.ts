import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runKit } from '../../support/kit.ts'
import { newer } from '../../support/newer-components.ts'
import type { Format } from './generated.ts'

export type Served = { format: Format; body: Buffer }

/** Prometheus' result of one exposition: its error, or the values of each series by Unix milliseconds. */
export type Scraped = { error: string } | { series: Map<string, Map<number, number>> }

export const contentTypes: Record<Format, string> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

const ofTheTarget = new Set(['served', 'job', 'instance'])
const scrapeSeconds = 8
const timeoutMs = 40_000

/** Serves expositions, one target each, to a real Prometheus started in `dir`, and waits for the first scrape of each. */
export async function scrapeAll(dir: string, served: Served[]): Promise<Scraped[]> {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const one = served[Number(new URL(request.url).pathname.slice(1))]
      if (!one) return new Response('', { status: 404 })
      return new Response(new Uint8Array(one.body), { headers: { 'content-type': contentTypes[one.format] } })
    },
  })
  try {
    const { url } = JSON.parse(await runKit('start-prometheus.sh', '--dir', dir, '--bin', newer.prometheus))
    const targets = served.map((_, at) => ({
      targets: [`127.0.0.1:${server.port}`],
      labels: { __metrics_path__: `/${at}`, served: String(at) },
    }))
    const job = { job_name: 'x', honor_labels: true, scrape_timeout: '5s', static_configs: targets }
    const configuration = { global: { scrape_interval: `${scrapeSeconds}s` }, scrape_configs: [job] }
    writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(configuration))
    await fetch(`${url}/-/reload`, { method: 'POST' })
    const errors = await firstScrapes(url, served.length)
    const stored = await storedSeries(url)
    return served.map((_, at): Scraped => {
      const error = errors.get(at)
      return error ? { error } : { series: stored.get(at) ?? new Map() }
    })
  } finally {
    await server.stop(true)
  }
}

type Target = { health: string; lastError: string; labels: { served: string } }

/** Scrape errors by target, empty for successful ones. */
async function firstScrapes(url: string, wanted: number): Promise<Map<number, string>> {
  const until = Date.now() + timeoutMs
  while (Date.now() < until) {
    const { activeTargets: targets } = await ask<{ activeTargets: Target[] }>(`${url}/api/v1/targets?state=active`)
    const scraped = targets.filter(({ health }) => health !== 'unknown')
    if (scraped.length === wanted) return new Map(scraped.map((one) => [Number(one.labels.served), one.lastError]))
    await Bun.sleep(200)
  }
  throw new Error(`not all of ${wanted} targets were scraped within ${timeoutMs} ms`)
}

type Matrix = { metric: Record<string, string>; values: [number, string][] }[]

async function storedSeries(url: string): Promise<Map<number, Map<string, Map<number, number>>>> {
  const query = encodeURIComponent('{served!="", __name__!~"up|scrape_.*"}[30m]')
  const { result } = await ask<{ result: Matrix }>(`${url}/api/v1/query?query=${query}`)
  const stored = new Map<number, Map<string, Map<number, number>>>()
  for (const { metric, values } of result) {
    const at = Number(metric['served'])
    const labels = Object.entries(metric).filter(([name]) => !ofTheTarget.has(name))
    const of = stored.get(at) ?? new Map<string, Map<number, number>>()
    of.set(seriesKey(labels), new Map(values.map(([time, value]) => [Math.round(time * 1000), numberOf(value)])))
    stored.set(at, of)
  }
  return stored
}

async function ask<T>(url: string): Promise<T> {
  const { data }: { data: T } = JSON.parse(await (await fetch(url)).text())
  return data
}

export function seriesKey(labels: Iterable<readonly [string, string]>): string {
  return JSON.stringify([...labels].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function numberOf(value: string): number {
  return Number(value.replace('Inf', 'Infinity'))
}
