import { loadInTurns, median, type Throughput } from '../support/load.ts'
import { type Running, signUp, startBare, startNines } from '../support/processes.ts'

const rounds = 5
const secondsEach = 2
const secret = 'a-secret-that-only-this-measurement-knows'

/** `GET /slos/:id` with a token, beside a bare route that checks the same token and returns the same JSON from memory. */
export async function benchReadSlo(): Promise<void> {
  const nines = await startNines({ JWT_SECRET: secret })
  let bare: Running | undefined
  try {
    const { token, send } = await signUp(nines)
    const query = 'sum(rate(ok[5m])) / sum(rate(all[5m]))'
    const slo = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: query }
    const { id } = await send('POST', '/api/v1/slos', slo)
    bare = await startBare(secret, JSON.stringify(await send('GET', `/api/v1/slos/${id}`)))
    const headers = { authorization: `Bearer ${token}` }
    const targets = {
      'nines GET /slos/:id': { ...nines, url: `${nines.url}/api/v1/slos/${id}`, headers },
      'bare Elysia, token remembered': { ...bare, url: `${bare.url}/remembered`, headers },
      'bare Elysia, token verified each time': { ...bare, url: `${bare.url}/verified`, headers },
    }
    print(await loadInTurns(targets, rounds, secondsEach))
  } finally {
    await Promise.all([nines.stop(), bare?.stop()])
  }
}

function print(results: Record<string, Throughput[]>): void {
  const rows = Object.entries(results).map(([name, runs]) => ({
    name,
    perSecond: median(runs.map((run) => run.perSecond)),
    cpu: median(runs.map((run) => run.cpuMicrosPerAnswer)),
  }))
  const own = rows[0]
  process.stdout.write(`\nGET /slos/:id, 32 connections, median of ${rounds} rounds of ${secondsEach} s\n`)
  for (const { name, perSecond, cpu } of rows) {
    const ratio = own
      ? `nines is ${(own.perSecond / perSecond).toFixed(2)} of its rate, ${(own.cpu / cpu).toFixed(2)} of its CPU`
      : ''
    process.stdout.write(
      `  ${name.padEnd(38)} ${perSecond.toFixed(0).padStart(7)}/s  ${cpu.toFixed(1).padStart(6)} µs CPU  ${ratio}\n`,
    )
  }
}
