import { createTokenBuckets } from '../../../src/http/connections/token-buckets.ts'
import { loadInTurns, median, type Throughput } from '../support/load.ts'
import { type Running, signUp, startGuards, startNines } from '../support/processes.ts'

const rounds = 5
const secondsEach = 2
const max = '1000000000'

/**
 * Measures the cost of the guard per request: a route that returns JSON from memory, bare, behind the guard (token and
 * session), and behind the guard and the rate limits; then `GET /auth/me` of nines, which returns the same JSON from its
 * database.
 */
export async function benchGuard(): Promise<void> {
  const stops: Running['stop'][] = []
  const started = <T extends { stop: Running['stop'] }>(running: T) => (stops.push(running.stop), running)
  try {
    const guards = started(await startGuards())
    const unlimited = started(await startNines({}))
    const limited = started(await startNines({ RATE_LIMIT_PER_IP: max, RATE_LIMIT_GLOBAL: max }))
    const me = async (nines: Running) => {
      const { token } = await signUp(nines)
      return { url: `${nines.url}/api/v1/auth/me`, pid: nines.pid, headers: { authorization: `Bearer ${token}` } }
    }
    const headers = { authorization: `Bearer ${guards.token}` }
    const targets = {
      'bare Elysia route': { url: guards.bare, pid: guards.pid, headers },
      '+ token and session': { url: guards.guarded, pid: guards.pid, headers },
      '+ limits': { url: guards.limited, pid: guards.pid, headers },
      'nines GET /auth/me, limits off': await me(unlimited),
      'nines GET /auth/me, limits on': await me(limited),
    }
    print(await loadInTurns(targets, rounds, secondsEach))
    printSpray()
  } finally {
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** Measures the token buckets with a million requests from different addresses; most buckets are dropped again. */
function printSpray(): void {
  let nowMs = 0
  const buckets = createTokenBuckets({ limit: 100, clock: { now: () => nowMs } })
  const began = performance.now()
  for (let n = 0; n < 1_000_000; n += 1) {
    const key = `${n >> 16}.${(n >> 8) & 255}.${n & 255}`
    if (buckets.peek(key).remaining > 0) buckets.take(key)
    if (n % 1000 === 0) nowMs += 10
  }
  process.stdout.write(
    `  a million addresses, a request each: ${(performance.now() - began).toFixed(0)} ns a request\n`,
  )
}

function print(results: Record<string, Throughput[]>): void {
  process.stdout.write(`\nthe guard, 32 connections, median of ${rounds} rounds of ${secondsEach} s\n`)
  let bare: { perSecond: number; cpu: number } | undefined
  for (const [name, runs] of Object.entries(results)) {
    const perSecond = median(runs.map((run) => run.perSecond))
    const cpu = median(runs.map((run) => run.cpuMicrosPerAnswer))
    bare ??= { perSecond, cpu }
    const ratios = `${(perSecond / bare.perSecond).toFixed(2)} of the bare rate, ${(cpu / bare.cpu).toFixed(2)} of its CPU`
    process.stdout.write(
      `  ${name.padEnd(32)} ${perSecond.toFixed(0).padStart(7)}/s  ${cpu.toFixed(1).padStart(6)} µs CPU  ${ratios}\n`,
    )
  }
}
