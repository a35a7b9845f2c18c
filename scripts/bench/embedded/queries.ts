import { join } from 'node:path'
import { evaluateInstant } from '../../../src/embedded/promql/query.ts'
import type { SampleReader } from '../../../src/embedded/promql/reader.ts'
import { runKit } from '../../../test/support/kit.ts'
import { blocksFolder, compared, openStore, samplesFolder } from './blocks.ts'
import type { Data } from './data.ts'
import type { Row } from './embedded.ts'
import { median } from '../support/load.ts'

const services = { 2: 's0001', 10: 's000[0-4]', 100: 's00[0-4].' }
const limits = { maxSamples: 50_000_000, maxSeries: 100_000, expired: () => false }

/**
 * The SLO ratio, from what `compareBlocks` left in `dir`: nines inside the process, Prometheus over HTTP, whose price for an
 * empty query stands first. Throws where they do not give the same.
 */
export async function compareQueries(dir: string, { metric }: Data, endMs: number): Promise<Row[]> {
  const started = await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), '--blocks', blocksFolder(dir))
  const { url } = JSON.parse(started) as { url: string }
  const store = openStore(samplesFolder(dir), endMs)
  const reader: SampleReader = { select: (...of) => [...store.select(1, ...of)] }
  const ask = {
    nines: async (query: string) => evaluated(reader, query, endMs),
    prometheus: (query: string) => answered(url, query, endMs),
  }
  const rows: Row[] = []
  const floor = await inTurns('vector(1)', ask, 200)
  rows.push({ what: 'vector(1)', unit: 'ms', ...floor })
  for (const window of ['1h', '24h', '30d'])
    for (const [count, svc] of Object.entries(services)) {
      const rate = (more: string) => `sum(rate(${metric}{svc=~"${svc}"${more}}[${window}]))`
      const took = await inTurns(`${rate(',code!~"5.."')} / ${rate('')}`, ask, window === '30d' ? 5 : 25)
      const lessFloor = took.nines / (took.prometheus - floor.prometheus)
      rows.push({ what: `${window}, ${count} series`, unit: 'ms', ...took, lessFloor })
    }
  store.close()
  return rows
}

type Ask = Record<'nines' | 'prometheus', (query: string) => Promise<number>>

/** Median milliseconds, after a round to warm up. */
async function inTurns(query: string, ask: Ask, rounds: number) {
  const took = { nines: [] as number[], prometheus: [] as number[] }
  for (let round = 0; round <= rounds; round += 1) {
    const values = { nines: NaN, prometheus: NaN }
    for (const system of ['nines', 'prometheus'] as const) {
      const began = performance.now()
      values[system] = await ask[system](query)
      if (round > 0) took[system].push(performance.now() - began)
    }
    if (!(Math.abs(values.nines / values.prometheus - 1) < 1e-9))
      throw new Error(`${query}: ${values.nines}, and Prometheus says ${values.prometheus}`)
  }
  return compared(took, median)
}

function evaluated(reader: SampleReader, query: string, endMs: number): number {
  const result = evaluateInstant(reader, query, endMs, { limits })
  return result.type === 'vector' ? (result.samples[0]?.point[1] ?? NaN) : NaN
}

async function answered(url: string, query: string, endMs: number): Promise<number> {
  const body = new URLSearchParams({ query, time: String(endMs / 1000) })
  const response = await fetch(`${url}/api/v1/query`, { method: 'POST', body })
  const answer = (await response.json()) as { data?: { result: { value: [number, string] }[] } }
  return Number(answer.data?.result[0]?.value[1])
}
