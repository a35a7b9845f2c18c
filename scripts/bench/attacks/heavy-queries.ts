import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSamples } from '../../../src/db/open-samples.ts'
import { createSampleStore } from '../../../src/embedded/store/sample-store.ts'
import type { Figure } from '../goals.ts'
import { memoryOf, percentile } from '../support/load.ts'
import { register, startWatched } from './watched-nines.ts'

const nowMs = Math.floor(Date.now() / 60_000) * 60_000
const now = nowMs / 1000
const [manySeries, secondsEach, idleSeconds] = [Number(process.env['SERIES'] ?? 100_000), 6, 5]
const api = '/embedded/prometheus/api/v1'
const instant = (query: string) => `${api}/query?${new URLSearchParams({ query, time: `${now}` })}`
const range = (query: string, steps = 11_000, step = 1) =>
  `${api}/query_range?${new URLSearchParams({ query, start: `${now - steps * step}`, end: `${now}`, step: `${step}` })}`
const nested = (depth: number): string =>
  depth === 0 ? 'vector(time())' : `sum_over_time(${nested(depth - 1)}[1d:1s])`
const joins = (depth: number): string =>
  depth === 0 ? 'many' : `label_join(${joins(depth - 1)}, "l${depth}", ",", "host", "path", "job")`

/** The heaviest queries found, for an organization with 100,000 series. */
const attacks: Record<string, string> = {
  '900 times - over 100,000 series': instant(`${'-'.repeat(900)}many`),
  'label_join, 40 deep': instant(joins(40)),
  'label_replace with a large pattern': instant('label_replace(many, "x", "$1", "path", "(.*a.*){9}b.*")'),
  '11,000 steps of 10,000 series': range('many{path=~"/p0.*"}'),
  '600 steps of 10,000 series': range('many{path=~"/p0.*"}', 600),
  'all series, 100 steps': range('many', 100, 30),
  'nested subqueries': range(nested(3), 1000, 60),
  '11,000 windows of 10 hours': range('quantile_over_time(0.5, vector(time())[10h:1s])'),
  'a pattern over 100,000 values': instant(`count({host=~"(${'a?'.repeat(50)})*h.*(${'a?'.repeat(50)})*x"})`),
  'patterns over all, 90 of them': instant(
    `count(many{${Array.from({ length: 90 }, (_, n) => `host=~".*${n}.*h.*"`).join()}})`,
  ),
  'topk of all': instant('topk(100000, many)'),
  'quantile of all, 300 steps': range('quantile(0.9, many)', 300, 10),
  'count_values of all': instant('count_values("v", many)'),
  'many to many': instant('many * on (host) group_left many'),
  'four hundred times all': instant(Array(400).fill('sum(many)').join(' + ')),
  '/series of all': `${api}/series?match[]=many`,
  '/labels by 100 patterns': `${api}/labels?${Array.from({ length: 100 }, (_, n) => `match[]={host=~".*${n}.*h"}`).join('&')}`,
  '/label/host/values': `${api}/label/host/values`,
}

const maxStallMs = 50

/**
 * Measures read latencies of another organization while one organization sends the heaviest queries, four at once, and the
 * longest turn of the event loop in CPU time.
 */
export async function benchHeavyQueries(): Promise<Figure[]> {
  const only = process.env['HEAVY'] ?? ''
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const env = { QUERY_CPU_SECONDS_PER_MINUTE: process.env['CPU'] ?? '1000' }
  let nines = await startWatched(dataDir, env)
  const attacker = await register(nines.url, 'attacker')
  await nines.end()
  fill(dataDir)
  nines = await startWatched(dataDir, env)
  try {
    const reader = await register(nines.url, 'reader')
    process.stdout.write(
      `${''.padEnd(42)}  /health p50    p99    max   GET p50    p99    max   peak MB  after  stall ms  answers\n`,
    )
    const row = async (what: string, seconds: number, url?: string) => {
      const attack =
        url === undefined
          ? undefined
          : Bun.spawn([process.execPath, join(import.meta.dir, 'heavy-attacker.ts'), nines.url + url, attacker], {
              stdout: 'pipe',
            })
      await nines.stallMs()
      const { health, get, peakMb } = await watch(nines, reader, seconds)
      const stallMs = await nines.stallMs()
      attack?.kill('SIGTERM')
      const printed = attack ? await new Response(attack.stdout).text() : ''
      await Bun.sleep(1000)
      const figures = [...health, ...get].map((ms) => ms.toFixed(1).padStart(6)).join(' ')
      const memory = `${`${peakMb}`.padStart(7)} ${`${residentMb(nines.pid)}`.padStart(6)}`
      process.stdout.write(`${what.padEnd(42)}  ${figures}  ${memory}  ${stallMs.toFixed(1).padStart(8)}  ${printed}\n`)
      return { what: `stall by ${what}`, value: stallMs, unit: 'ms', goal: { atMost: maxStallMs } }
    }
    await row('idle', idleSeconds)
    const figures: Figure[] = []
    for (const [what, url] of Object.entries(attacks))
      if (what.includes(only)) figures.push(await row(what, secondsEach, url))
    await row('idle again', idleSeconds)
    return figures
  } finally {
    await nines.end()
    rmSync(dataDir, { recursive: true })
  }
}

function fill(dataDir: string): void {
  const file = openSamples(dataDir)
  const store = createSampleStore({ file, clock: { now: () => nowMs }, keepMs: 1e12, maxBytes: 1e12 })
  for (let n = 0; n < manySeries; n += 1) {
    const labels = Object.entries({
      __name__: 'many',
      job: 'attack',
      host: `host-${n}`,
      path: `/p${n % 100 < 10 ? 0 : 1}/${n % 100}`,
    })
    for (let at = 10; at >= 0; at -= 1) store.append(1, labels, nowMs - at * 30_000, n + at)
    if (n % 10_000 === 0) store.flush()
  }
  store.close()
}

type Figures = [p50: number, p99: number, max: number]

async function watch({ url, pid }: { url: string; pid: number }, token: string, seconds: number) {
  const took = { health: [] as number[], get: [] as number[] }
  let peakMb = 0
  const once = async (path: string, into: number[]) => {
    const began = performance.now()
    await (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).text()
    into.push(performance.now() - began)
  }
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await Bun.sleep(5)) {
    await once('/health', took.health)
    await once('/api/v1/slos', took.get)
    peakMb = Math.max(peakMb, residentMb(pid))
  }
  return { health: figuresOf(took.health), get: figuresOf(took.get), peakMb }
}

function figuresOf(times: number[]): Figures {
  return [percentile(times, 50), percentile(times, 99), percentile(times, 100)]
}

function residentMb(pid: number): number {
  return Math.round(memoryOf(pid).rss / 1024 / 1024)
}
