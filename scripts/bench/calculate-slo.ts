import { median } from './load.ts'
import { signUp, startNines, startPrometheus } from './processes.ts'

const rounds = 60
const windows = ['1h', '24h', '7d', '30d'] as const
const secondsOf = { '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 }

/** `calculate-slo` of an SLO with the asked window as its own, beside the same query sent to Prometheus directly. */
export async function benchCalculateSlo(): Promise<void> {
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
      const extend_time = new Date(prometheus.now * 1000).toISOString()
      const calculate = () =>
        send('POST', '/api/v1/tsdb/calculate-slo', { slo_id: id, time_window: window, extend_time })
      const direct = () => ask(prometheus.url, ratioOver(`${secondsOf[window]}s`), prometheus.now)
      const { ours, theirs } = await inTurns({ ours: calculate, theirs: direct })
      const shown = (ms: number) => `${ms.toFixed(2).padStart(7)} ms`
      const line = `nines ${shown(ours)}   Prometheus ${shown(theirs)}   ratio ${(ours / theirs).toFixed(2)}`
      process.stdout.write(`  ${window.padEnd(4)} ${line}\n`)
    }
  } finally {
    await Promise.all([nines.stop(), prometheus.stop()])
  }
}

function ratioOver(range: string): string {
  const requests = 'http_requests_total{service="checkout"'
  return `sum(rate(${requests},code!~"5.."}[${range}])) / sum(rate(${requests}}[${range}]))`
}

async function ask(url: string, query: string, time: number): Promise<void> {
  const response = await fetch(`${url}/api/v1/query`, {
    method: 'POST',
    body: new URLSearchParams({ query, time: String(time) }),
  })
  const answer = (await response.json()) as { data?: { result: unknown[] } }
  if (answer.data?.result.length !== 1) throw new Error('Prometheus gave no value')
}

type Work = () => Promise<unknown>

/** The median time of each, in milliseconds; A B A B …, after a few rounds that are not counted. */
async function inTurns(works: { ours: Work; theirs: Work }): Promise<{ ours: number; theirs: number }> {
  const times = { ours: [] as number[], theirs: [] as number[] }
  for (let round = -5; round < rounds; round += 1) {
    for (const who of ['ours', 'theirs'] as const) {
      const began = performance.now()
      await works[who]()
      if (round >= 0) times[who].push(performance.now() - began)
    }
  }
  return { ours: median(times.ours), theirs: median(times.theirs) }
}
