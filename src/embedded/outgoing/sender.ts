import { type Clock, hourMs } from '../../clock.ts'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import type { Log } from '../../log.ts'
import type { OutgoingBatch } from '../store/outgoing.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { IsSent } from './match.ts'
import type { Receiver, Sent } from './receiver.ts'
import { encodingWrites, type WriteBody } from './write-request.ts'

/** Samples that a receiver has refused for good, with the status and the time (by the stopwatch) of its last such answer. */
export type Refusals = { samples: number; status: number; lastMs: number }

/** Sends samples of the embedded source to another server, at least once and in the order of their commits. */
export type Sender = {
  /** Sends what there is. To be called every second, but not while a call is under way. */
  run(): Promise<void>
  /** Number of times that there was nothing left to send; null: there is no receiver. */
  timesCaughtUp(): number | null
  /** Problem of the last attempt, with the status of the answer only; null: there was none. */
  problem(): string | null
  /** Refused samples, counted from the first one until an hour has passed without any; null: there are none. */
  refused(): Refusals | null
  drain(): Promise<void>
}

type Deps = {
  samples: Pick<SampleStore, 'startOutgoing' | 'endOutgoing' | 'nextOutgoing' | 'acknowledge' | 'outgoingSamples'>
  /** Null: samples are not sent anywhere. */
  receiver: Receiver | null
  isSent: IsSent
  clock: Clock
  stopwatch: Clock
  log: Log
  metrics: {
    remoteWritten(outcome: 'sent' | 'dropped', samples: number, nowMs: number): void
    remoteWritePending(samples: number): void
  }
  isClosing: () => boolean
}

/** Batch of samples, and the bodies of its requests that have not been answered yet. */
type UnderWay = { batch: OutgoingBatch; bodies: WriteBody[] }

const maxSamples = 4000
const [firstRetryMs, maxRetryMs, maxPauseMs] = [1000, 60_000, hourMs]

export function createSender(deps: Deps): Sender {
  const { samples, receiver, isSent, clock, stopwatch, log, metrics, isClosing } = deps
  const closing = new AbortController()
  let isPrepared = false
  let underWay: UnderWay | undefined
  let caughtUp = 0
  let retryMs = firstRetryMs
  let retryAtMs = -Infinity
  let problem: string | null = null
  let refusals: Refusals | null = null
  let running: Promise<void> = Promise.resolve()

  async function prepare(): Promise<void> {
    if (isPrepared) return
    await (receiver ? samples.startOutgoing() : samples.endOutgoing())
    isPrepared = true
  }

  async function next(): Promise<UnderWay | undefined> {
    if (underWay?.batch.isCurrent()) return underWay
    const batch = await samples.nextOutgoing(maxSamples)
    if (!batch) return undefined
    const bodies = await runCooperatively('remote write out', encodingWrites(batch, isSent))
    return { batch, bodies }
  }

  /** Notes the outcome of a request; true if the next one may be sent. */
  function note(sent: Sent, count: number): boolean {
    if (sent.outcome === 'retry') {
      if (problem === null) log.warn('remote write failed', { problem: textOf(sent), retry: true })
      problem = sent.status === null ? sent.text : `HTTP ${sent.status}`
      retryAtMs = stopwatch.now() + Math.max(retryMs, Math.min(maxPauseMs, sent.afterMs))
      retryMs = Math.min(maxRetryMs, 2 * retryMs)
      return false
    }
    if (problem !== null) log.info('remote write goes on')
    ;[problem, retryMs] = [null, firstRetryMs]
    metrics.remoteWritten(sent.outcome === 'sent' ? 'sent' : 'dropped', count, clock.now())
    if (sent.outcome === 'refused') {
      log.warn('remote write refused: samples are dropped', { samples: count, problem: textOf(sent) })
      refusals = { samples: (refused()?.samples ?? 0) + count, status: sent.status, lastMs: stopwatch.now() }
    }
    return true
  }

  function refused(): Refusals | null {
    return refusals && stopwatch.now() - refusals.lastMs < hourMs ? refusals : null
  }

  /** Sends the requests of a batch; true if none of them has to be sent again. */
  async function send({ batch, bodies }: UnderWay, receive: Receiver): Promise<boolean> {
    for (let request = bodies[0]; request; request = bodies[0]) {
      const sent = await receive(request.body, closing.signal)
      if (!note(sent, request.samples)) return false
      bodies.shift()
    }
    await samples.acknowledge(batch)
    return true
  }

  async function sendAll(receive: Receiver): Promise<void> {
    while (!isClosing()) {
      underWay = await next()
      metrics.remoteWritePending(samples.outgoingSamples())
      if (!underWay) {
        caughtUp += 1
        return
      }
      if (!(await send(underWay, receive))) return
      underWay = undefined
    }
  }

  async function run(): Promise<void> {
    if (isClosing()) return
    await prepare()
    if (!receiver || stopwatch.now() < retryAtMs) return
    try {
      await sendAll(receiver)
    } catch (error) {
      if (!closing.signal.aborted) throw error
    }
  }

  void prepare().catch(() => {}) // before the first sample is on disk; `run` tries again
  return {
    run: () => (running = run()),
    timesCaughtUp: () => (receiver ? caughtUp : null),
    problem: () => problem,
    refused,
    async drain() {
      closing.abort()
      await running.catch(() => {})
    },
  }
}

function textOf(sent: Exclude<Sent, { outcome: 'sent' }>): string {
  return sent.status === null ? sent.text : `HTTP ${sent.status}: ${sent.text}`
}
