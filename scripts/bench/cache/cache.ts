import type { TierReport } from './tiers.ts'
import { printedBy } from '../support/child.ts'
import { median } from '../support/load.ts'
import { signUp, startNines } from '../support/processes.ts'

const askers = 200

/** Measures the two cache tiers, stalls while they are written, and source queries for many identical concurrent requests. */
export async function benchCache(): Promise<void> {
  process.stdout.write('\ncache, 10,000 entries of 10 KB; times without those in which others had the processors\n')
  printTiers(await printedBy<TierReport>('cache/tiers.ts'))
  const { one, many } = await countQueries()
  line(`${askers} ask the same at once`, `${many} queries of the source; where one asks, ${one}`)
}

function printTiers({ held, memory, disk, stall }: TierReport): void {
  const micros = (value: number) => `${value.toFixed(0)} µs`
  const ratio = (value: number, floor: number) => `ratio ${(value / floor).toFixed(2)}`
  const { floor } = memory
  line('bare lru-cache', `${micros(floor)}, with its JSON.stringify`)
  line('hit from memory', `${micros(memory.remember)} parsed, ${ratio(memory.remember, floor)}`)
  line('', `${micros(memory.read)} as text, ${ratio(memory.read, floor)}`)
  line('bare SQLite', `p50 ${micros(disk.floor.p50)}, p99 ${micros(disk.floor.p99)}, unpacked and parsed`)
  const { p50, p99 } = disk.ours
  line('hit from disk', `p50 ${micros(p50)}, p99 ${micros(p99)}, ${ratio(p50, disk.floor.p50)}`)
  const sizes = ({ rss, heap }: TierReport['held']['full']) =>
    `${(rss / 1e6).toFixed(0)} MB, heap ${(heap / 1e6).toFixed(0)} MB`
  line('memory, empty', sizes(held.empty))
  line('  full', sizes(held.full))
  line('  all of it replaced', sizes(held.replaced))
  const stalled = (ms: number[]) => `${median(ms).toFixed(1)} ms (most ${Math.max(...ms).toFixed(1)})`
  const { idle, put, packed, counted } = stall
  line('longest stall, idle', stalled(idle))
  line('  1 MB is put in', stalled(put))
  line('  1 MB is packed', stalled(packed))
  line('  1000 hits are written', stalled(counted))
}

/**
 * Counts queries to a source that takes 50 ms to answer: for a single calculation, and for many concurrent requests of another
 * one.
 */
async function countQueries(): Promise<{ one: number; many: number }> {
  let queries = 0
  const source = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch() {
      queries += 1
      await Bun.sleep(50)
      const result = [{ metric: {}, value: [Date.now() / 1000, '0.999'] }]
      return Response.json({ status: 'success', data: { resultType: 'vector', result } })
    },
  })
  const nines = await startNines({ SOURCE_URL: source.url.origin, EVALUATION_INTERVAL: '0' })
  try {
    const { send } = await signUp(nines)
    const metric_query = 'sum(rate(good[5m])) / sum(rate(all[5m]))'
    const slo = { name: 'one', target: 99.9, time_window: '24h', metric_type: 'availability', metric_query }
    const { id } = await send('POST', '/api/v1/slos', slo)
    await Bun.sleep(1000) // lets nines finish its queries for a new SLO
    const countOf = async (count: number, hoursBack: number) => {
      const extend_time = new Date(Date.now() - hoursBack * 3_600_000).toISOString()
      const question = { slo_id: id, time_window: '24h', extend_time }
      queries = 0
      await Promise.all(Array.from({ length: count }, () => send('POST', '/api/v1/tsdb/calculate-slo', question)))
      return queries
    }
    return { one: await countOf(1, 1), many: await countOf(askers, 2) }
  } finally {
    await nines.stop()
    await source.stop(true)
  }
}

function line(what: string, figures: string): void {
  process.stdout.write(`  ${what.padEnd(24)} ${figures}\n`)
}
