import type { Figure } from '../goals.ts'
import { median } from '../support/load.ts'
import { signUp, startNines, startPrometheus } from '../support/processes.ts'

const rounds = 60
const warmUpRounds = 300 // for the first window, while the engine compiles
const goals: Partial<Record<string, number>> = { '1h': 2, '30d': 1.3 }
const finalAfterSeconds = 600 // results that end more than five minutes ago are final
const windows = ['1h', '24h', '7d', '30d'] as const
const secondsOf = { '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 }

/**
 * Compares `calculate-slo` of an SLO over its own window with the same query sent to Prometheus directly: at new times, and at
 * a time whose result is in memory or only on disk. Bun's fetch requests compression by default; the time of Prometheus without
 * compression is printed too.
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
      const warm = () => calculateAt(prometheus.now - finalAfterSeconds)
      const ratio = ratioOver(`${secondsOf[window]}s`)
      const direct = () => ask(prometheus.url, ratio, --end)
      const plain = () => ask(prometheus.url, ratio, --end, { 'accept-encoding': 'identity' })
      const skipped = window === '1h' ? warmUpRounds : 5
      const { direct: source, ...inMemory } = await inTurns({ cold, memory: warm, direct, plain }, skipped)
      await send('PUT', '/api/v1/cache/config', { enable_memory_cache: false })
      const { direct: sourceAgain, ...onDisk } = await inTurns({ disk: warm, direct }, 5)
      await send('PUT', '/api/v1/cache/config', { enable_memory_cache: true })
      const shown = (ms: number, of: number) => `${ms.toFixed(2).padStart(6)} ms, ratio ${(ms / of).toFixed(2)}`
      const lines = [
        `cold ${shown(inMemory.cold, source)}`,
        `from disk ${shown(onDisk.disk, sourceAgain)}`,
        `from memory ${shown(inMemory.memory, source)}`,
      ]
      process.stdout.write(
        `  ${window.padEnd(4)} Prometheus ${source.toFixed(2)} ms (uncompressed ${inMemory.plain.toFixed(2)})   ${lines.join('   ')}\n`,
      )
      const atMost = goals[window]
      if (atMost !== undefined) {
        const beside = { name: 'Prometheus', value: source }
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

async function ask(url: string, query: string, time: number, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${url}/api/v1/query`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ query, time: String(time) }),
  })
  const answer = (await response.json()) as { data?: { result: unknown[] } }
  if (answer.data?.result.length !== 1) throw new Error('Prometheus gave no value')
}

type Work = () => Promise<unknown>

/** Median milliseconds of each, measured alternately after some uncounted rounds. */
async function inTurns<Name extends string>(works: Record<Name, Work>, skipped: number): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[]
  const times = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = -skipped; round < rounds; round += 1) {
    for (const name of names) {
      const began = performance.now()
      await works[name]()
      if (round >= 0) times.get(name)?.push(performance.now() - began)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<Name, number>
}
