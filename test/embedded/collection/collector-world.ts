import { type CollectorDeps, createCollector } from '../../../src/embedded/collection/collector.ts'
import { type Item, keyOf, type Outcome } from '../../../src/embedded/collection/item.ts'
import type { Probe, ScrapeTarget } from '../../../src/embedded/collection/target.ts'
import { createLog } from '../../../src/log.ts'

/** 2026-11-21T10:00:00Z. */
export const startMs = 1_795_255_200_000

export const failure: Outcome = { ok: false, error: 'connection refused', durationMs: 1, samples: [] }

const success: Outcome = {
  ok: true,
  error: null,
  durationMs: 12,
  samples: [{ labels: [['__name__', 'a']], value: 1 }],
}

export function target(change: Partial<ScrapeTarget> & { id: number }): Item {
  const identity = { organizationId: 1, name: `t${change.id}`, url: 'http://a.example/metrics', labels: {} }
  const settings = { intervalMs: 30_000, timeoutMs: 10_000, honorLabels: false, auth: null }
  return { kind: 'target', definition: { ...identity, ...settings, ...change } }
}

/** A probe whose failed runs are tried again. */
export function probe({ id, intervalMs, timeoutMs }: Pick<Probe, 'intervalMs' | 'timeoutMs'> & { id: number }): Item {
  const settings = { tls: false, auth: null, verifyCertificate: true }
  const tried = { labels: {}, target: '127.0.0.1:1', confirm: true, downAfter: 2, type: 'tcp', settings } as const
  return { kind: 'probe', definition: { id, organizationId: 1, name: `p${id}`, intervalMs, timeoutMs, ...tried } }
}

/** A run that has not ended. */
type Hanging = { key: string; item: Item; end(outcome?: Outcome): Promise<void>; isAborted(): boolean }

/** A collector over a list of items. Runs succeed at once, or after `hang` when the test ends them. */
export function collectorWorld(...items: Item[]) {
  const world = {
    nowMs: startMs,
    items,
    isClosing: false,
    /** Writes and ends of series; `key` as in `target 1`. */
    written: [] as { key: string; timeMs: number }[],
    ended: [] as { key: string; timeMs: number }[],
    hanging: [] as Hanging[],
    logged: [] as string[],
    /** Error of every write; null: writes succeed. */
    writeError: null as string | null,
    /** Error of every run; null: none. */
    runError: null as Error | null,
  }
  let isHanging = false
  const runOnce: CollectorDeps['runOnce'] = async (item, signal) => {
    if (world.runError) throw world.runError
    if (!isHanging) return success
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    signal.addEventListener('abort', () => reject(signal.reason))
    const end = async (outcome = success) => {
      world.hanging.splice(world.hanging.indexOf(hanging), 1)
      resolve(outcome)
      await turn()
    }
    const hanging = { key: keyOf(item), item, end, isAborted: () => signal.aborted }
    world.hanging.push(hanging)
    return promise
  }
  const collector = createCollector({
    clock: { now: () => world.nowMs },
    stopwatch: { now: () => world.nowMs },
    log: createLog({ level: 'debug', format: 'json', now: () => 0, write: (line) => void world.logged.push(line) }),
    list: async (organizationId) =>
      world.items.filter(
        ({ definition }) => organizationId === undefined || definition.organizationId === organizationId,
      ),
    runOnce,
    open: (item) => ({
      write(timeMs) {
        world.written.push({ key: keyOf(item), timeMs })
        return world.writeError
      },
      end: (timeMs) => void world.ended.push({ key: keyOf(item), timeMs }),
    }),
    isClosing: () => world.isClosing,
  })
  return Object.assign(world, {
    collector,
    /** Makes all later runs wait for their `end`. */
    hang: () => void (isHanging = true),
    /** Loads the items; each is first due at its next due time. */
    async load() {
      collector.tick()
      await collector.drain()
    },
    /** Advances the clock second by second, with a tick at each, and lets runs that end at once finish. */
    async advance(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        world.nowMs += 1000
        collector.tick()
        await turn()
      }
    },
    /** Times of the writes of a target. */
    timesOf: (id: number) => world.written.filter(({ key }) => key === `target ${id}`).map(({ timeMs }) => timeMs),
  })
}

/** Waits for one iteration of the event loop. */
const turn = async () => new Promise<void>((resolve) => setImmediate(resolve))
