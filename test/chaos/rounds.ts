import { seeded } from '../support/seeded.ts'
import type { Break, Family } from './break.ts'
import { insideBreaks } from './breaks-inside.ts'
import { outsideBreaks } from './breaks-outside.ts'
import { type Outcome, suffer } from './suffer.ts'
import { openWorld, type World } from './world.ts'

export const allBreaks: Break[] = [...outsideBreaks, ...insideBreaks]

/** The same list in another order. */
export function shuffled<T>(list: T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

/** So many of each family, in a random order. */
export function someOfEach(maxOf: Record<Family, number>, random: () => number): Break[] {
  const left = { ...maxOf }
  return shuffled(allBreaks, random).filter(({ family }) => (left[family] -= 1) >= 0)
}

type Options = {
  /** Gives the next one that fits, or nothing more. */
  next: (fits: (broken: Break) => boolean) => Break | undefined
  worlds: number
  seed: number
  maxHoldMs: number
  onOutcome?: (outcome: Outcome) => void
}

/**
 * Breaks one thing after the other in each of several worlds at once; one in four has a clock that can be set. Where something
 * was not as it must be, what comes next has a new world.
 */
export async function sufferAll({ next, worlds, seed, maxHoldMs, onOutcome = () => {} }: Options): Promise<Outcome[]> {
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

/** Takes each of them once. */
export function takeFrom(breaks: Break[]): Options['next'] {
  const waiting = [...breaks]
  return (fits) => {
    const place = waiting.findIndex(fits)
    return place < 0 ? undefined : waiting.splice(place, 1)[0]
  }
}
