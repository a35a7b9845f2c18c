import type { Figure } from '../goals.ts'
import { cpuSeconds, median, percentile } from '../support/load.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { alertmanagerTo, type Notifier, ninesTo } from './systems.ts'

const rounds = 3
/** Uncounted rounds of each scenario: compiling code in them costs more than the work. */
const warmUpRounds = 2
const connections = 16
const pacedPerSecond = 100

/** Queues notifications, spread over some channels; returns the time at which each was queued, in ms, by name. */
type Queue = (notifier: Notifier, names: string[], channels: number) => Promise<Map<string, number>>

/** Scenario of the benchmark. `prepare` is not measured; the function that it returns is. */
type Scenario = {
  what: string
  count: number
  /** Minimum rate of nines as a multiple of Alertmanager's. */
  atLeast: number
  prepare: (...given: Parameters<Queue>) => Promise<() => ReturnType<Queue>>
}

const ways: Scenario[] = [
  {
    what: `1000 queued by ${connections} connections, one each request`,
    count: 1000,
    atLeast: 1,
    prepare:
      async (...given) =>
      () =>
        busily(...given),
  },
  {
    what: '1000 queued by one request',
    count: 1000,
    atLeast: 1,
    async prepare(notifier, names, channels) {
      const queue = await notifier.together(names, channels)
      return async () => {
        const began = performance.now()
        await queue()
        return new Map(names.map((name) => [name, began]))
      }
    },
  },
  {
    what: `300 queued at ${pacedPerSecond} a second`,
    count: 300,
    atLeast: 0.95, // both are limited by the rate of the requests
    prepare:
      async (...given) =>
      () =>
        steadily(...given),
  },
]

/**
 * Compares notifications to a receiver on this machine, one request each: by nines, with its usual durable database, and by
 * Alertmanager, which keeps pending notifications in memory.
 */
export async function benchNotify(): Promise<Figure[]> {
  const figures: Figure[] = []
  const receiver = startReceiver()
  const stops = [receiver.stop]
  const started = (notifier: Notifier) => (stops.push(notifier.stop), notifier)
  process.stdout.write(`\nnotify, webhooks to a receiver on this machine, median of ${rounds} rounds\n`)
  let named = 0
  try {
    const nines = started(await ninesTo(receiver, 16))
    const notifiers = { nines, Alertmanager: started(await alertmanagerTo(receiver, 16)) }
    for (const { what, count, atLeast, prepare } of ways) {
      for (const channels of [1, 16]) {
        const whole = `${what}, ${channels === 1 ? 'one channel' : `${channels} channels`}`
        process.stdout.write(`  ${whole}\n`)
        const results: Record<string, Measured[]> = {}
        for (let round = 0; round < warmUpRounds + rounds; round += 1) {
          for (const [name, notifier] of Object.entries(notifiers)) {
            const names = Array.from({ length: count }, () => `bench ${(named += 1)}`)
            const queue = await prepare(notifier, names, channels)
            const measured = await measure(receiver, notifier, names, queue)
            if (round >= warmUpRounds) (results[name] ??= []).push(measured)
          }
        }
        print(results)
        const perSecond = (name: string) => median((results[name] ?? []).map((one) => one.perSecond))
        const beside = { name: 'Alertmanager', value: perSecond('Alertmanager') }
        figures.push({ what: whole, value: perSecond('nines'), unit: '/s', beside, goal: { atLeast } })
      }
    }
    return figures
  } finally {
    await Promise.all(stops.map((stop) => stop()))
  }
}

const busily: Queue = async (notifier, names, channels) => {
  const queuedAt = new Map<string, number>()
  const waiting = names.entries()
  const work = async () => {
    for (const [at, name] of waiting) {
      queuedAt.set(name, performance.now())
      await notifier.queue(name, at % channels)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  return queuedAt
}

const steadily: Queue = async (notifier, names, channels) => {
  const queuedAt = new Map<string, number>()
  const began = performance.now()
  const answers: Promise<unknown>[] = []
  for (const [at, name] of names.entries()) {
    await Bun.sleep(Math.max(0, began + (at * 1000) / pacedPerSecond - performance.now()))
    queuedAt.set(name, performance.now())
    answers.push(notifier.queue(name, at % channels))
  }
  await Promise.all(answers)
  return queuedAt
}

/** Results of a round. Latencies are from queueing to arrival: the median, and the 99th percentile. */
type Measured = { perSecond: number; cpuSeconds: number; medianMs: number; p99Ms: number }

async function measure(
  receiver: Receiver,
  { pid }: Notifier,
  names: string[],
  queue: () => Promise<Map<string, number>>,
): Promise<Measured> {
  receiver.forget()
  const cpuBefore = cpuSeconds(pid)
  const began = performance.now()
  const queuedAt = await queue()
  const arrivedAt = await receiver.all(names)
  const ended = Math.max(...arrivedAt.values())
  await Bun.sleep(100) // pending writes belong to the cost
  const latencies = names.map((name) => (arrivedAt.get(name) ?? Infinity) - (queuedAt.get(name) ?? 0))
  return {
    perSecond: (names.length / (ended - began)) * 1000,
    cpuSeconds: cpuSeconds(pid) - cpuBefore,
    medianMs: median(latencies),
    p99Ms: percentile(latencies, 99),
  }
}

function print(results: Record<string, Measured[]>): void {
  for (const [name, runs] of Object.entries(results)) {
    const of = (key: keyof Measured, digits: number) => median(runs.map((run) => run[key])).toFixed(digits)
    const columns = [
      `${of('perSecond', 0).padStart(6)}/s`,
      `${of('cpuSeconds', 2).padStart(6)} s CPU`,
      `p50 ${of('medianMs', 1).padStart(7)} ms`,
      `p99 ${of('p99Ms', 1).padStart(7)} ms`,
    ]
    process.stdout.write(`    ${name.padEnd(14)} ${columns.join('   ')}\n`)
  }
}
