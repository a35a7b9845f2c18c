import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runKit } from '../../../test/support/kit.ts'
import { blocksFolder, figuresOf, samplesFolder } from './blocks.ts'
import type { Dataset } from './data.ts'
import type { ComparisonRow } from './embedded.ts'
import { cpuSeconds, median } from '../support/load.ts'
import { signUp, startNinesIn } from '../support/processes.ts'

const services = { 2: 's0001', 10: 's000[0-4]', 100: 's00[0-4].' }
const inTurn = 25 // queries per turn
const maxTimes = 1.2

/** Server that queries are sent to, and the process that answers them. */
type Server = { url: string; pid: number; headers: Record<string, string> }

/**
 * Compares queries of an SLO ratio over HTTP, on the data that `compareBlocks` left in `dir`: milliseconds of elapsed time and
 * of CPU time. Throws if the results differ.
 */
export async function compareQueries(dir: string, { metric }: Dataset, endMs: number): Promise<ComparisonRow[]> {
  const started = await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), '--blocks', blocksFolder(dir))
  const prometheus: Server = { ...(JSON.parse(started) as { url: string; pid: number }), headers: {} }
  const nines = await startWithSamples(join(dir, 'data'), join(samplesFolder(dir), 'samples.db'))
  const servers = { nines, prometheus: { ...prometheus, url: `${prometheus.url}/api/v1/query` } }
  try {
    const rows = await compareQuery('vector(1)', 'vector(1)', servers, { endMs, turns: 8 })
    for (const window of ['1h', '24h', '30d'])
      for (const [count, svc] of Object.entries(services)) {
        const rate = (more: string) => `sum(rate(${metric}{svc=~"${svc}"${more}}[${window}]))`
        const query = `${rate(',code!~"5.."')} / ${rate('')}`
        const turns = window === '30d' ? 1 : 8
        rows.push(...(await compareQuery(`${window}, ${count} series`, query, servers, { endMs, turns })))
      }
    return rows
  } finally {
    await nines.stop()
  }
}

/** Starts nines with this file as its samples, and an account whose organization owns them. */
async function startWithSamples(dataDir: string, samples: string) {
  const env = { REGISTRATION: 'open', QUERY_CPU_SECONDS_PER_MINUTE: '100000' }
  const first = await startNinesIn(dataDir, env)
  const { token } = await signUp(first)
  await first.stop()
  for (const name of ['samples.db', 'samples.db-wal', 'samples.db-shm']) rmSync(join(dataDir, name), { force: true })
  copyFileSync(samples, join(dataDir, 'samples.db'))
  const { url, pid, stop } = await startNinesIn(dataDir, env)
  const headers = { authorization: `Bearer ${token}` }
  return { url: `${url}/embedded/prometheus/api/v1/query`, pid, headers, stop }
}

/** Measures one query; the first half of the turns warms up. */
async function compareQuery(
  what: string,
  query: string,
  servers: Record<'nines' | 'prometheus', Server>,
  { endMs, turns }: { endMs: number; turns: number },
): Promise<ComparisonRow[]> {
  const tookMs = { nines: [] as number[], prometheus: [] as number[] }
  const cpuMs = { nines: 0, prometheus: 0 }
  const queries = turns > 1 ? inTurn : 5
  for (let turn = -turns; turn < turns; turn += 1) {
    const values = { nines: NaN, prometheus: NaN }
    for (const system of ['nines', 'prometheus'] as const) {
      const cpuBefore = cpuSeconds(servers[system].pid)
      for (let place = 0; place < queries; place += 1) {
        const began = performance.now()
        values[system] = await answered(servers[system], query, endMs)
        if (turn >= 0) tookMs[system].push(performance.now() - began)
      }
      if (turn >= 0) cpuMs[system] += (cpuSeconds(servers[system].pid) - cpuBefore) * 1000
    }
    if (!(Math.abs(values.nines / values.prometheus - 1) < 1e-9))
      throw new Error(`${query}: ${values.nines}, and Prometheus says ${values.prometheus}`)
  }
  const bound = what === '1h, 100 series' && { goal: maxTimes }
  return [
    { what, unit: 'ms', ...figuresOf(tookMs, median), ...bound },
    { what, unit: 'ms of CPU', ...figuresOf(cpuMs, (all) => all / turns / queries), ...bound },
  ]
}

/**
 * Value of a query half a second before the end. A sample exactly at the left boundary of a window counts before Prometheus 3,
 * but not since.
 */
async function answered({ url, headers }: Server, query: string, endMs: number): Promise<number> {
  const body = new URLSearchParams({ query, time: String((endMs - 500) / 1000) })
  const response = await fetch(url, { method: 'POST', body, headers })
  const answer = (await response.json()) as { data?: { result: { value: [number, string] }[] } }
  return Number(answer.data?.result[0]?.value[1])
}
