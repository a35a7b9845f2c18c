import type { Figure } from '../goals.ts'
import { type Child, start } from '../support/child.ts'
import { cpuSeconds, median, percentile } from '../support/load.ts'
import type { FromLiveServer, ToLiveServer } from './nines.ts'
import type { FromReaders, ToReaders } from './readers.ts'

const slosShown = 9000
const slosInTrend = 1000
const seconds = 6
const rounds = 2
const commits = 60
const trends = 40
const trendsToWarmUp = 10
const everyMs = 60_000 / (slosShown / 250) // each SLO is evaluated once a minute
const path = '/api/v1/tsdb/real-time-metrics'

type Server = { child: Child; url: string; token: string }
type Cost = FromReaders & { cpuMs: number; lightP99Ms: number }

/**
 * Measures responses about all SLOs of an organization: CPU time of nines for one, and the latency of other requests meanwhile.
 */
export async function benchLive(): Promise<Figure[]> {
  return [...(await realTimeMetrics()), ...(await trend())]
}

async function realTimeMetrics(): Promise<Figure[]> {
  process.stdout.write(`\nreal-time metrics of ${slosShown} SLOs, ${rounds} rounds of ${seconds} s\n`)
  const nines = await ready(start('live/nines.ts', String(slosShown), 'evaluations'))
  const costs = {
    one: [] as Cost[],
    many: [] as Cost[],
    evaluated: [] as Cost[],
    bare: [] as Cost[],
    idleP99Ms: [] as number[],
  }
  let bare: Server | undefined
  let after = 0
  try {
    const { bytes } = await measure(nines, path, 1) // warms up
    bare = await ready(start('live/bare.ts', String(bytes)))
    for (let round = 0; round < rounds; round += 1) {
      costs.bare.push(await measure(bare, '/', 16))
      costs.idleP99Ms.push(await waits(nines, Bun.sleep(2000)))
      costs.one.push(await measure(nines, path, 1))
      costs.many.push(await measure(nines, path, 16))
      costs.evaluated.push(await measure(nines, path, 16, () => send(nines, 'evaluate')))
    }
    after = await firstAfterCommit(nines)
  } finally {
    nines.child.stop()
    bare?.child.stop()
  }
  const of = (some: Cost[], pick: (cost: Cost) => number) => median(some.map(pick))
  for (const [name, some] of Object.entries({
    'bare Bun server, 16 clients': costs.bare,
    '1 client': costs.one,
    '16 clients': costs.many,
    '16 clients, 250 SLOs evaluated every 1.7 s': costs.evaluated,
  })) {
    line(
      name,
      `${of(some, ({ cpuMs }) => cpuMs).toFixed(1)} ms CPU an answer of ${(of(some, ({ bytes }) => bytes) / 1e6).toFixed(1)} MB, ` +
        `${of(some, ({ msEach }) => msEach).toFixed(0)} ms each, a small request beside p99 ${of(some, ({ lightP99Ms }) => lightP99Ms).toFixed(1)} ms`,
    )
  }
  line('nobody else', `a small request p99 ${median(costs.idleP99Ms).toFixed(1)} ms`)
  return [
    figure(
      'real-time metrics of 9,000 SLOs, 1 client',
      of(costs.one, ({ cpuMs }) => cpuMs),
      15,
    ),
    figure(
      'real-time metrics of 9,000 SLOs, 16 clients',
      of(costs.many, ({ cpuMs }) => cpuMs),
      15,
    ),
    figure(
      'the same while they are evaluated',
      of(costs.evaluated, ({ cpuMs }) => cpuMs),
      15,
    ),
    figure('the first after a commit', after, 15),
    {
      what: 'a small request beside 16 of them, p99',
      value: of(costs.many, ({ lightP99Ms }) => lightP99Ms),
      unit: 'ms',
      beside: { name: 'alone', value: median(costs.idleP99Ms) },
      goal: { atMost: 3 },
    },
  ]
}

/** CPU milliseconds of the first response after 250 SLOs have been evaluated. */
async function firstAfterCommit(nines: Server): Promise<number> {
  let cpu = 0
  for (let made = 0; made < commits; made += 1) {
    await send(nines, 'evaluate')
    const before = cpuSeconds(nines.child.pid)
    const response = await fetch(`${nines.url}${path}`, { headers: { authorization: `Bearer ${nines.token}` } })
    await response.arrayBuffer()
    cpu += cpuSeconds(nines.child.pid) - before
  }
  return (cpu / commits) * 1000
}

async function trend(): Promise<Figure[]> {
  process.stdout.write(`\navailability trend, 24 h of ${slosInTrend} SLOs, ${trends} answers, none kept\n`)
  const nines = await ready(start('live/nines.ts', String(slosInTrend), 'buckets'))
  try {
    let cpu = 0
    for (let made = 0; made < trendsToWarmUp + trends; made += 1) {
      await send(nines, 'forget')
      const before = cpuSeconds(nines.child.pid)
      const { metadata, points } = (await light(nines, '/api/v1/slos/availability-trend?period=24h')) as {
        metadata: { cached: boolean }
        points: { slo_count: number }[]
      }
      if (metadata.cached || points[0]?.slo_count !== slosInTrend) throw new Error('must be computed, of all SLOs')
      if (made >= trendsToWarmUp) cpu += cpuSeconds(nines.child.pid) - before
    }
    return [figure('trend 24 h of 1,000 SLOs', (cpu / trends) * 1000, 20)]
  } finally {
    nines.child.stop()
  }
}

function figure(what: string, value: number, atMost: number): Figure {
  return { what, value, unit: 'ms CPU', goal: { atMost } }
}

async function ready(child: Child): Promise<Server> {
  const said = await child.next<FromLiveServer>()
  if (said === 'done') throw new Error('must be an address')
  return { child, ...said }
}

async function send({ child }: Server, message: ToLiveServer): Promise<void> {
  child.send(message)
  await child.next<FromLiveServer>()
}

/**
 * Measures clients that each read one response after the other; meanwhile calls `besides` as often as nines evaluates 250 SLOs.
 */
async function measure(server: Server, address: string, clients: number, besides?: () => Promise<void>): Promise<Cost> {
  const readers = start('live/readers.ts')
  try {
    const timer = besides && setInterval(() => void besides(), everyMs)
    const before = cpuSeconds(server.child.pid)
    readers.send({ url: `${server.url}${address}`, token: server.token, clients, seconds } satisfies ToReaders)
    const report = readers.next<FromReaders>()
    const lightP99Ms = await waits(server, report)
    clearInterval(timer)
    const { answers, ...rest } = await report
    const cpuMs = ((cpuSeconds(server.child.pid) - before) / answers) * 1000
    return { answers, ...rest, cpuMs, lightP99Ms }
  } finally {
    readers.stop()
  }
}

/** Latency of small requests, about 50 a second, until `ending` settles: the 99th percentile in ms. */
async function waits(server: Server, ending: Promise<unknown>): Promise<number> {
  const state = { isOver: false }
  void ending.then(() => (state.isOver = true))
  const tookMs: number[] = []
  while (!state.isOver) {
    const beganMs = performance.now()
    await light(server, '/api/v1/auth/me')
    tookMs.push(performance.now() - beganMs)
    await Bun.sleep(20)
  }
  return percentile(tookMs, 99)
}

async function light({ url, token }: Server, address: string): Promise<unknown> {
  const response = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${token}` } })
  return response.headers.get('content-type')?.includes('json') ? response.json().catch(() => null) : response.text()
}

function line(what: string, figures: string): void {
  process.stdout.write(`  ${what.padEnd(44)} ${figures}\n`)
}
