import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from '../../../src/db/sqlite.ts'
import type { Figure } from '../goals.ts'
import { loadInTurns, median, type Target, type Throughput } from '../support/load.ts'
import { type Running, startBare, startFastify, startNines } from '../support/processes.ts'
import { seed } from './seed.ts'

const rounds = 4
const secondsEach = 1.5
const commitsPerSecond = 100
const secret = 'a-secret-that-only-this-measurement-knows'

/** Cost of a response: microseconds of CPU time, and responses per second of elapsed time. */
type Cost = { cpu: number; perSecond: number }

/**
 * Measures authenticated reads of nines, from its response cache and uncached (a request that announces a body is not cached).
 * Compares them with Fastify on Node and a bare Elysia, each with a cached token and one prepared statement.
 */
export async function benchReadSlo(): Promise<Figure[]> {
  const { dataDir, copy, token, sloId } = await seed(secret)
  const stops: Running['stop'][] = [async () => rmSync(dataDir, { recursive: true, force: true })]
  const started = <T extends Running>(running: T) => (stops.unshift(running.stop), running)
  try {
    const nines = started(await startNines({ JWT_SECRET: secret, DATA_DIR: dataDir }))
    const headers = { authorization: `Bearer ${token}` }
    const of = (path: string, more = {}): Target => ({
      url: `${nines.url}/api/v1/slos${path}`,
      pid: nines.pid,
      headers: { ...headers, ...more },
    })
    const json = await (await fetch(of(`/${sloId}`).url, { headers })).text()
    const bare = started(await startBare(secret, json, copy))
    const fastify = started(await startFastify(secret, copy))
    const notKept = { 'content-length': '0' }
    const targets = {
      'GET /slos/:id': of(`/${sloId}`),
      'Fastify, one statement': { ...fastify, url: `${fastify.url}/slos/${sloId}`, headers },
      'bare Elysia, one statement': { ...bare, url: `${bare.url}/slos/${sloId}`, headers },
      'bare Elysia, from memory': { ...bare, url: `${bare.url}/memory`, headers },
      'GET /slos/:id, read each time': of(`/${sloId}`, notKept),
      'GET /slos of 100': of('?page_size=100'),
      'GET /slos of 100, read each time': of('?page_size=100', notKept),
      'GET /slos/:id/budget': of(`/${sloId}/budget`),
      'GET /slos/:id/budget, read each time': of(`/${sloId}/budget`, notKept),
    }
    const quiet = costsOf(await loadInTurns(targets, rounds, secondsEach))
    print(`reads, 32 connections, median of ${rounds} rounds of ${secondsEach} s`, quiet)
    const commits = commitAllTheTime(join(dataDir, 'nines.db'))
    const { 'GET /slos/:id': one, 'GET /slos of 100': list, 'GET /slos/:id/budget': budget } = targets
    const read = { 'GET /slos/:id': one, 'GET /slos of 100': list, 'GET /slos/:id/budget': budget }
    const busy = costsOf(await loadInTurns(read, 2, secondsEach).finally(commits.stop))
    print(`the same beside ${commits.perSecond()} commits a second, each of which ends all kept answers`, busy)
    return figures(quiet)
  } finally {
    for (const stop of stops) await stop()
  }
}

function figures(costs: Map<string, Cost>): Figure[] {
  const cpu = (name: string) => costs.get(name)?.cpu ?? Number.NaN
  const answersPerCpuSecond = (name: string) => 1e6 / cpu(name)
  const compared = (rival: string, atLeast: number): Figure => ({
    what: 'GET /slos/:id',
    value: answersPerCpuSecond('GET /slos/:id'),
    unit: 'a CPU s',
    beside: { name: rival, value: answersPerCpuSecond(rival) },
    goal: { atLeast },
  })
  return [
    compared('Fastify, one statement', 1.8),
    compared('bare Elysia, one statement', 0.7),
    { what: 'GET /slos of 100', value: cpu('GET /slos of 100') / 1000, unit: 'ms CPU', goal: { atMost: 0.2 } },
    { what: 'GET /slos/:id/budget', value: cpu('GET /slos/:id/budget') / 1000, unit: 'ms CPU', goal: { atMost: 0.05 } },
  ]
}

/** Commits on another connection, so that nines pays only for the cache invalidation. */
function commitAllTheTime(path: string): { perSecond(): number; stop(): void } {
  const connection = new Database(path)
  const commit = connection.prepare('update users set updated_at = updated_at + 1')
  const began = performance.now()
  let commits = 0
  const timer = setInterval(() => {
    commit.run()
    commits += 1
  }, 1000 / commitsPerSecond)
  return {
    perSecond: () => Math.round(commits / ((performance.now() - began) / 1000)),
    stop() {
      clearInterval(timer)
      connection.close()
    },
  }
}

function costsOf(results: Record<string, Throughput[]>): Map<string, Cost> {
  const entries = Object.entries(results).map(([name, runs]): [string, Cost] => {
    const cpu = median(runs.map((run) => run.cpuMicrosPerAnswer))
    return [name, { cpu, perSecond: median(runs.map((run) => run.perSecond)) }]
  })
  return new Map(entries)
}

function print(title: string, costs: Map<string, Cost>): void {
  process.stdout.write(`\n${title}\n`)
  for (const [name, { cpu, perSecond }] of costs) {
    process.stdout.write(
      `  ${name.padEnd(40)} ${perSecond.toFixed(0).padStart(7)}/s  ${cpu.toFixed(1).padStart(7)} µs CPU\n`,
    )
  }
}
