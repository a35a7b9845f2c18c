import type { Figure } from '../goals.ts'
import { median } from '../support/load.ts'
import { signUp, startNines, startPrometheus } from '../support/processes.ts'

const rounds = 60
const firstWarmUpRounds = 300 // for the first window, while the engine compiles
const usualWarmUpRounds = 5
/** Maximum ratio of nines to Prometheus, by window. */
const maxRatios: Partial<Record<string, number>> = { '1h': 2, '30d': 1.3 }
const finalAfterSeconds = 600 // results that end more than five minutes ago are final
const windows = ['1h', '24h', '7d', '30d'] as const
const secondsOf = { '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 }

/**
 * Compares `calculate-slo` of an SLO over its own window with the same query sent to Prometheus directly: at times that nothing
 * has calculated yet (cold), and at a time whose result is cached in memory or only on disk. Bun's fetch requests compression by
 * default; the time of Prometheus without compression is printed too.
 */
export async function benchCalculateSlo(): Promise<Figure[]> {
  const figures: Figure[] = []
  const prometheus = await startPrometheus(35)
  const nines = await startNines({ SOURCE_URL: prometheus.url })
  try {
    const { send } = await signUp(nines)
    process.stdout.write(
      `\ncalculate-slo, one after the other, median of ${rounds}, real Prometheus with 35 days of data\n`,
    )
    for (const window of windows) {
      const query = ratioOver('5m')
      const slo = { name: window, target: 99.9, time_window: window }
      const { id } = await send('POST', '/api/v1/slos', { ...slo, metric_type: 'availability', metric_query: query })
      let end = prometheus.now - finalAfterSeconds
      const calculateAt = (at: number) => {
        const extend_time = new Date(at * 1000).toISOString()
        return send('POST', '/api/v1/tsdb/calculate-slo', { slo_id: id, time_window: window, extend_time })
      }
      const cold = () => calculateAt(--end)
      const repeated = () => calculateAt(prometheus.now - finalAfterSeconds)
      const ratio = ratioOver(`${secondsOf[window]}s`)
      const direct = () => queryPrometheus(prometheus.url, ratio, --end)
      const uncompressed = () => queryPrometheus(prometheus.url, ratio, --end, { 'accept-encoding': 'identity' })
      const warmUpRounds = window === '1h' ? firstWarmUpRounds : usualWarmUpRounds
      const { direct: directMs, ...inMemory } = await medianTimes(
        { cold, memory: repeated, direct, uncompressed },
        warmUpRounds,
      )
      await send('PUT', '/api/v1/cache/config', { enable_memory_cache: false })
      const { direct: directMsAgain, ...onDisk } = await medianTimes({ disk: repeated, direct }, usualWarmUpRounds)
      await send('PUT', '/api/v1/cache/config', { enable_memory_cache: true })
      const formatTime = (ms: number, prometheusMs: number) =>
        `${ms.toFixed(2).padStart(6)} ms, ratio ${(ms / prometheusMs).toFixed(2)}`
      const lines = [
        `cold ${formatTime(inMemory.cold, directMs)}`,
        `from disk ${formatTime(onDisk.disk, directMsAgain)}`,
        `from memory ${formatTime(inMemory.memory, directMs)}`,
      ]
      process.stdout.write(
        `  ${window.padEnd(4)} Prometheus ${directMs.toFixed(2)} ms (uncompressed ${inMemory.uncompressed.toFixed(2)})   ${lines.join('   ')}\n`,
      )
      const atMost = maxRatios[window]
      if (atMost !== undefined) {
        const beside = { name: 'Prometheus', value: directMs }
        figures.push({
          what: `calculate-slo ${window}, cold`,
          value: inMemory.cold,
          unit: 'ms',
          beside,
          goal: { atMost },
        })
      }
    }
    return figures
  } finally {
    await Promise.all([nines.stop(), prometheus.stop()])
  }
}

function ratioOver(range: string): string {
  const requests = 'http_requests_total{service="checkout"'
  return `sum(rate(${requests},code!~"5.."}[${range}])) / sum(rate(${requests}}[${range}]))`
}

async function queryPrometheus(
  url: string,
  query: string,
  time: number,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await fetch(`${url}/api/v1/query`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ query, time: String(time) }),
  })
  const answer = (await response.json()) as { data?: { result: unknown[] } }
  if (answer.data?.result.length !== 1) throw new Error('Prometheus gave no value')
}

type Operation = () => Promise<unknown>

/** Median milliseconds of each operation, run alternately; the first `warmUpRounds` are not counted. */
async function medianTimes<Name extends string>(
  operations: Record<Name, Operation>,
  warmUpRounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(operations) as Name[]
  const times = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const name of names) {
      const began = performance.now()
      await operations[name]()
      if (round >= 0) times.get(name)?.push(performance.now() - began)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<Name, number>
}
