import { seeded } from '../support/seeded.ts'
import type { Break, Family } from './break.ts'
import { insideBreaks } from './breaks-inside.ts'
import { outsideBreaks } from './breaks-outside.ts'
import { type Outcome, suffer } from './suffer.ts'
import { openWorld, type World } from './world.ts'

export const allBreaks: Break[] = [...outsideBreaks, ...insideBreaks]

/** A copy of the list in random order. */
export function shuffled<T>(list: T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

/** Up to `maxOf` breaks of each family, in random order. */
export function someOfEach(maxOf: Record<Family, number>, random: () => number): Break[] {
  const left = { ...maxOf }
  return shuffled(allBreaks, random).filter(({ family }) => (left[family] -= 1) >= 0)
}

type Options = {
  /** Returns the next break that fits, or undefined. */
  next: (fits: (broken: Break) => boolean) => Break | undefined
  /** Number of worlds at the same time. */
  worlds: number
  seed: number
  /** Each break lasts a random time of at most this. */
  maxHoldMs: number
  onOutcome?: (outcome: Outcome) => void
}

/**
 * Runs breaks one after the other in each of several concurrent worlds; one in four worlds has a clock that can be set. After a
 * problem, the next break gets a new world.
 */
export async function runBreaks({ next, worlds, seed, maxHoldMs, onOutcome = () => {} }: Options): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const breakIn = async (number: number) => {
    const isTimed = number % 4 === 0
    const random = seeded(seed + number)
    let world: World | undefined
    for (;;) {
      world ??= await openWorld({ isTimed })
      const { disk } = world
      const broken = next(({ needs }) => (needs === 'time' ? isTimed : needs !== 'disk' || disk !== null))
      if (!broken) return world.stop('SIGTERM')
      const outcome = await suffer(world, broken, { random, holdMs: random() * maxHoldMs })
      outcomes.push(outcome)
      onOutcome(outcome)
      if (outcome.problems.length === 0) continue
      await world.stop('SIGKILL')
      world = undefined
    }
  }
  await Promise.all(Array.from({ length: worlds }, (_, number) => breakIn(number)))
  return outcomes
}

/** Returns a function that takes the first break that fits and was not taken yet; undefined if there is none. */
export function takeFrom(breaks: Break[]): Options['next'] {
  const waiting = [...breaks]
  return (fits) => {
    const place = waiting.findIndex(fits)
    return place < 0 ? undefined : waiting.splice(place, 1)[0]
  }
}
