import { type Clock, minuteMs } from '../../clock.ts'

/** Organizations that were sent samples of minutes that have been measured already. */
export type LateSamples = {
  /** `oldestMs`: time of the oldest sample of a request. */
  note(organizationId: number, oldestMs: number): void
  /** Calls `restart` for each organization whose late samples have arrived, so that its SLOs measure their past again. */
  run(): Promise<void>
}

type Deps = { clock: Clock; restart: (organizationId: number) => Promise<unknown> }

/** Samples younger than this are of minutes that are measured again anyway. */
const remeasuredMs = 2 * minuteMs
/** Time without a late sample after which all of them are taken to have arrived. */
const quietMs = minuteMs / 2
/** Time between two restarts of an organization. */
const minPauseMs = 10 * minuteMs
/** Time after the first late sample at which a restart no longer waits for quiet. */
const maxWaitMs = 60 * minuteMs

export function createLateSamples({ clock, restart }: Deps): LateSamples {
  const waiting = new Map<number, { firstMs: number; lastMs: number }>()
  const restartedAtMs = new Map<number, number>()

  function isDue(organizationId: number, { firstMs, lastMs }: { firstMs: number; lastMs: number }): boolean {
    const nowMs = clock.now()
    if (nowMs - (restartedAtMs.get(organizationId) ?? -Infinity) < minPauseMs) return false
    return nowMs - lastMs >= quietMs || nowMs - firstMs >= maxWaitMs
  }

  return {
    note(organizationId, oldestMs) {
      const nowMs = clock.now()
      if (oldestMs >= nowMs - remeasuredMs) return
      waiting.set(organizationId, { firstMs: waiting.get(organizationId)?.firstMs ?? nowMs, lastMs: nowMs })
    },
    async run() {
      for (const [organizationId, late] of waiting) {
        if (!isDue(organizationId, late)) continue
        waiting.delete(organizationId)
        restartedAtMs.set(organizationId, clock.now())
        await restart(organizationId)
      }
    },
  }
}
