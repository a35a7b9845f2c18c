import type { Figure } from '../goals.ts'
import { median, type Throughput } from '../support/load.ts'
import { signUp, startFloor, startNines } from '../support/processes.ts'
import { post } from './posts.ts'

const rounds = 4
const secondsEach = 2

/**
 * Compares `POST /slos` by 64 clients with one insert committed at a time, and with a bare Elysia route that commits an insert
 * of the same size in a group commit; all with `synchronous=FULL` on the same disk. The created SLOs are not evaluated.
 */
export async function benchCreateSlo(): Promise<Figure[]> {
  const nines = await startNines({ QUOTA_SLOS: '10000000', EVALUATION_INTERVAL: '0' })
  const floor = await startFloor()
  try {
    const { token } = await signUp(nines)
    const own = { ...nines, url: `${nines.url}/api/v1/slos`, headers: { authorization: `Bearer ${token}` }, body }
    const grouped = { ...floor, url: `${floor.url}/grouped`, headers: {}, body }
    const results: Record<'nines' | 'grouped' | 'alone', Throughput[]> = { nines: [], grouped: [], alone: [] }
    for (let round = 0; round <= rounds; round += 1) {
      const measured = {
        nines: await post(own, secondsEach),
        grouped: await post(grouped, secondsEach),
        alone: await insertsAlone(floor.url),
      }
      if (round === 0) continue // warms up
      for (const name of ['nines', 'grouped', 'alone'] as const) results[name].push(measured[name])
    }
    return figures(results)
  } finally {
    await Promise.all([nines.stop(), floor.stop()])
  }
}

/** Body like that of a typical SLO: a pair of queries, labels, a description. */
function body(at: number): string {
  const service = `service-${at % 997}`
  return JSON.stringify({
    name: `Requests of ${service} (${at})`,
    description: 'Answers without an error of the server, as the load balancer counts them.',
    target: 99.9,
    time_window: '30d',
    metric_type: 'availability',
    good_query: `sum(rate(http_requests_total{job="${service}",code!~"5..",instance=~"a${at}.*"}[5m]))`,
    total_query: `sum(rate(http_requests_total{job="${service}",instance=~"a${at}.*"}[5m]))`,
    labels: { team: 'payments', tier: '1', service },
  })
}

async function insertsAlone(url: string): Promise<Throughput> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/alone?seconds=${secondsEach / 2}`, { method: 'POST', headers, body: body(1) })
  return (await response.json()) as Throughput
}

function figures(results: Record<'nines' | 'grouped' | 'alone', Throughput[]>): Figure[] {
  const of = (name: keyof typeof results, what: keyof Throughput) => median(results[name].map((run) => run[what]))
  process.stdout.write(`\nPOST /slos, 64 connections, median of ${rounds} rounds of ${secondsEach} s\n`)
  for (const [name, what] of [
    ['nines', 'nines POST /slos'],
    ['grouped', 'bare Elysia, one insert, group commit'],
    ['alone', 'one insert and commit at a time'],
  ] as const) {
    const rate = of(name, 'perSecond').toFixed(0).padStart(7)
    process.stdout.write(
      `  ${what.padEnd(38)} ${rate}/s  ${of(name, 'cpuMicrosPerAnswer').toFixed(1).padStart(6)} µs CPU\n`,
    )
  }
  const alone = { name: 'one insert at a time', value: of('alone', 'perSecond') }
  const bare = { name: 'bare Elysia, one insert', value: of('grouped', 'cpuMicrosPerAnswer') }
  return [
    { what: 'create an SLO, 64 clients', value: of('nines', 'perSecond'), unit: '/s', goal: { atLeast: 6000 } },
    {
      what: 'the same beside a single insert',
      value: of('nines', 'perSecond'),
      unit: '/s',
      beside: alone,
      goal: { atLeast: 1.4 },
    },
    { what: 'CPU of a create', value: of('nines', 'cpuMicrosPerAnswer') / 1000, unit: 'ms', goal: { atMost: 0.15 } },
    {
      what: 'CPU of a create beside the bare route',
      value: of('nines', 'cpuMicrosPerAnswer'),
      unit: 'µs',
      beside: bare,
      goal: { atMost: 4 },
    },
  ]
}
