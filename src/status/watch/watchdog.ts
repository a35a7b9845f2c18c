import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { ConditionName, Conditions } from './conditions.ts'

/** What is wrong, in a sentence; null: nothing is; undefined: nothing yet, and it is too early to say that nothing is. */
export type Finding = string | null | undefined

export type Look = () => Finding | Promise<Finding>

type Deps = {
  log: Log
  conditions: Pick<Conditions, 'set' | 'isKnown'>
  /** One for each condition, in the order in which they are looked at; each is cheap. */
  looks: Partial<Record<ConditionName, Look>>
  /** Before the looks. */
  onCheck: () => void
}

/** Looks every few seconds for what is wrong with nines itself. */
export type Watchdog = { check(): Promise<void> }

/** A look that throws leaves its condition as it is, and holds up none of the others. */
export function createWatchdog({ log, conditions, looks, onCheck }: Deps): Watchdog {
  const failing = new Set<string>()

  async function lookAt(name: ConditionName, look: Look): Promise<void> {
    try {
      const finding = await look()
      failing.delete(name)
      if (finding !== undefined || conditions.isKnown(name)) conditions.set(name, finding ?? null)
    } catch (error) {
      if (!failing.has(name)) log.error('condition cannot be checked', { condition: name, error })
      failing.add(name)
    }
  }

  return {
    async check() {
      onCheck()
      for (const [name, look] of Object.entries(looks)) await lookAt(name as ConditionName, look)
    },
  }
}

/** Time in which somebody looked: a machine that slept, or a process that was halted, has missed nothing in between. */
export type AttentiveClock = Clock & {
  /** To be called at each look, every few seconds. */
  look(): void
  /** For how long there was no gap between two looks, in ms. */
  unbrokenMs(): number
}

const maxGapMs = 30_000

/** Counts milliseconds of the stopwatch, of each gap between two looks 30 s at most. */
export function createAttentiveClock(stopwatch: Clock): AttentiveClock {
  let countedMs = 0
  let lookedMs = stopwatch.now()
  let unbrokenFromMs = 0 // as it counts
  const now = () => countedMs + Math.min(maxGapMs, stopwatch.now() - lookedMs)
  return {
    now,
    unbrokenMs: () => now() - unbrokenFromMs,
    look() {
      countedMs = now()
      if (stopwatch.now() - lookedMs > maxGapMs) unbrokenFromMs = countedMs
      lookedMs = stopwatch.now()
    },
  }
}
