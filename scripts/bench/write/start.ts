import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '../goals.ts'
import { cpuSeconds, median, memoryOf } from '../support/load.ts'
import { type Running, signUp, startHello, startNines, startNinesIn } from '../support/processes.ts'

const slos = 1000
const starts = 5
const idleSeconds = 30

/**
 * Measures the time from the start of the executable until `/health` responds, on a data folder with 1,000 SLOs, and its memory
 * after 30 s of evaluations without requests. Compares it with nines without SLOs and a Bun program that only listens.
 */
export async function benchStart(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const start = () => startNinesIn(dataDir, { SOURCE_URL: 'embedded' })
  try {
    await withNines(start, createSlos)
    const startMs: number[] = []
    const startCpuMs: number[] = []
    for (let round = 0; round < starts; round += 1) {
      const began = performance.now()
      await withNines(start, async (nines) => {
        await expectHealthy(nines)
        startMs.push(performance.now() - began)
        startCpuMs.push(cpuSeconds(nines.pid) * 1000)
      })
    }
    const [idle, empty, hello] = await Promise.all([
      withNines(start, idleBytes),
      withNines(() => startNines({ SOURCE_URL: 'embedded' }), idleBytes),
      withNines(startHello, idleBytes),
    ])
    const toMb = (bytes: number) => bytes / 1e6
    return [
      { what: 'start to /health, 1,000 SLOs', value: median(startMs), unit: 'ms', goal: { atMost: 150 } },
      { what: 'CPU of a start, 1,000 SLOs', value: median(startCpuMs), unit: 'ms', goal: { atMost: 300 } },
      { what: `memory after ${idleSeconds} s idle, 1,000 SLOs`, value: toMb(idle), unit: 'MB', goal: { atMost: 90 } },
      { what: `memory after ${idleSeconds} s idle, no SLOs`, value: toMb(empty), unit: 'MB', goal: { atMost: 90 } },
      {
        what: '1,000 SLOs beside a bare listener',
        value: toMb(idle),
        unit: 'MB',
        beside: { name: 'Bun.serve', value: toMb(hello) },
        goal: { atMost: 3 },
      },
    ]
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

async function withNines<T>(start: () => Promise<Running>, work: (nines: Running) => Promise<T>): Promise<T> {
  const nines = await start()
  try {
    return await work(nines)
  } finally {
    await nines.stop()
  }
}

async function createSlos(nines: Running): Promise<void> {
  const { send } = await signUp(nines)
  const create = (at: number) =>
    send('POST', '/api/v1/slos', {
      name: `SLO ${at}`,
      target: 99.9,
      time_window: '30d',
      metric_type: 'availability',
      good_query: `sum(rate(http_requests_total{job="service-${at}",code!~"5.."}[5m]))`,
      total_query: `sum(rate(http_requests_total{job="service-${at}"}[5m]))`,
      labels: { team: 'payments' },
    })
  for (let at = 0; at < slos; at += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, offset) => create(at + offset)))
  }
}

async function expectHealthy({ url }: Running): Promise<void> {
  const { status } = await fetch(`${url}/health`)
  if (status !== 200) throw new Error(`/health must answer 200; it answers ${status}`)
}

async function idleBytes({ pid }: Running): Promise<number> {
  await Bun.sleep(idleSeconds * 1000)
  return memoryOf(pid).rss
}
