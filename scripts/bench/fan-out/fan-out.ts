import { type Child, start } from '../support/child.ts'
import type { FromClients, ToClients } from './clients.ts'
import type { FromServer, FanOutLoad, ToServer } from './pace.ts'
import type { Figure } from '../goals.ts'
import { cpuSeconds, median, memoryOf } from '../support/load.ts'

const commonLoad = { connections: 1000, subscriptionsEach: 10, perSecond: 1000 }
const loads: FanOutLoad[] = [
  { ...commonLoad, slos: 1000, seconds: 8 },
  { ...commonLoad, slos: 100, seconds: 8 },
]
const rounds = 3
const connectionsPerUser = 100
const lateDeliveryMs = 1000
const goal = { atMost: 1.15 }

/**
 * Measures 1,000 clients with 10 subscriptions each at 1,000 updates a second, on nines and on a bare Bun server with topics,
 * alternately. One more client subscribes to everything and does not read. Server and clients are separate processes.
 */
export async function benchFanOut(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const load of loads) {
    const { connections, subscriptionsEach, slos, perSecond, seconds } = load
    const subscribersPerSlo = (connections * subscriptionsEach) / slos
    process.stdout.write(
      `\nfan-out, ${connections} connections, ${perSecond} updates/s to ${subscribersPerSlo} each, ${rounds} rounds of ${seconds} s\n`,
    )
    const users = connections / connectionsPerUser + 1
    const cpuPerDelivery = { bare: [] as number[], nines: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      cpuPerDelivery.bare.push(await measure('bare Bun server, topics', start('fan-out/bare.ts'), load))
      cpuPerDelivery.nines.push(await measure('nines', start('fan-out/nines.ts', String(slos), String(users)), load))
    }
    figures.push({
      what: `WebSocket, CPU a delivery, ${(subscribersPerSlo * perSecond) / 1000},000/s`,
      value: median(cpuPerDelivery.nines),
      unit: 'µs',
      beside: { name: 'bare Bun, topics', value: median(cpuPerDelivery.bare) },
      goal,
    })
  }
  return figures
}

/** CPU time of the server per delivery, in microseconds. */
async function measure(name: string, server: Child, load: FanOutLoad): Promise<number> {
  const clients = start('fan-out/clients.ts')
  try {
    const ready = await server.next<FromServer>()
    if (!('url' in ready)) throw new Error('must be an address')
    clients.send({ ...ready, load } satisfies ToClients)
    await clients.next<FromClients>()
    const before = { rss: rssMiB(server.pid), cpu: cpuSeconds(server.pid) }
    server.send({ load } satisfies ToServer)
    const done = await server.next<FromServer>()
    const after = { rss: rssMiB(server.pid), cpu: cpuSeconds(server.pid) }
    await Bun.sleep(lateDeliveryMs)
    clients.send('report' satisfies ToClients)
    const received = await clients.next<FromClients>()
    if ('url' in done || received === 'listening') throw new Error('must be a report')
    const { delivered, outOfOrder, p50Ms, p99Ms, maxMs } = received
    const expected = (done.updates * load.connections * load.subscriptionsEach) / load.slos
    const nonReader =
      done.cutOffAfterSeconds === null ? 'still held' : `cut off after ${done.cutOffAfterSeconds.toFixed(1)} s`
    const cpuPercent = ((after.cpu - before.cpu) / done.tookSeconds) * 100
    process.stdout.write(
      `  ${name.padEnd(24)} ${delivered} of ${expected} delivered in ${done.tookSeconds.toFixed(1)} s, ${outOfOrder} out of order; ` +
        `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, max ${maxMs.toFixed(1)} ms; ` +
        `server ${cpuPercent.toFixed(1)} % CPU, ${before.rss.toFixed(0)} → ${after.rss.toFixed(0)} MiB; ` +
        `the one that does not read: ${nonReader}, ${done.connections} connections left\n`,
    )
    return ((after.cpu - before.cpu) / delivered) * 1e6
  } finally {
    server.stop()
    clients.stop()
  }
}

function rssMiB(pid: number): number {
  return memoryOf(pid).rss / 1024 / 1024
}
