import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { ConditionName, Conditions } from './conditions.ts'

/** Problem in a sentence; null: there is none; undefined: none found yet, and too early to be sure. */
export type HealthCheckResult = string | null | undefined

export type HealthCheck = () => HealthCheckResult | Promise<HealthCheckResult>

type Deps = {
  log: Log
  conditions: Pick<Conditions, 'set' | 'isKnown'>
  /** Health checks by condition, run in this order; each is cheap. */
  healthChecks: Partial<Record<ConditionName, HealthCheck>>
  /** Called before the health checks. */
  onCheck: () => void
}

/** Checks nines itself for problems. Call `check` every few seconds. */
type Watchdog = { check(): Promise<void> }

/** Creates the watchdog. A health check that throws leaves its condition as it is, and does not stop the others. */
export function createWatchdog({ log, conditions, healthChecks, onCheck }: Deps): Watchdog {
  const failing = new Set<string>()

  async function runHealthCheck(name: ConditionName, healthCheck: HealthCheck): Promise<void> {
    try {
      const result = await healthCheck()
      failing.delete(name)
      if (result !== undefined || conditions.isKnown(name)) conditions.set(name, result ?? null)
    } catch (error) {
      if (!failing.has(name)) log.error('condition cannot be checked', { condition: name, error })
      failing.add(name)
    }
  }

  return {
    async check() {
      onCheck()
      for (const [name, healthCheck] of Object.entries(healthChecks))
        await runHealthCheck(name as ConditionName, healthCheck)
    },
  }
}

/** Clock that counts only time in which `tick` is called regularly, not suspend or a halted process. */
type ActiveTimeClock = Clock & {
  /** Call it before each round of health checks, every few seconds. */
  tick(): void
  /** Milliseconds since the last gap between two calls of `tick`. */
  unbrokenMs(): number
}

const maxGapMs = 30_000

/** Creates a clock that counts the milliseconds of the stopwatch, at most 30 s between two calls of `tick`. */
export function createActiveTimeClock(stopwatch: Clock): ActiveTimeClock {
  let countedMs = 0
  let tickedMs = stopwatch.now()
  let unbrokenFromMs = 0 // in counted time
  const now = () => countedMs + Math.min(maxGapMs, stopwatch.now() - tickedMs)
  return {
    now,
    unbrokenMs: () => now() - unbrokenFromMs,
    tick() {
      countedMs = now()
      if (stopwatch.now() - tickedMs > maxGapMs) unbrokenFromMs = countedMs
      tickedMs = stopwatch.now()
    },
  }
}
