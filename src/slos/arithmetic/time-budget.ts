import type { DurationUnit } from './duration.ts'
import { round6 } from './share.ts'

/** Time that may fail in a window, for texts: in the largest unit of which it has at least two. */
export type TimeBudget = { used: number; left: number; allowed: number; unit: DurationUnit }

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const

const step = 0.1

/**
 * Divides the time that may fail into what is used and what is left. Used time is rounded down, with a decimal below 10 and where less
 * than one unit is left; it is all of the time only if nothing is left. Both add up to the whole while a unit is left.
 */
export function timeBudget(usedSeconds: number, allowedSeconds: number): TimeBudget {
  const [unit, size] = units.find(([, seconds]) => allowedSeconds >= 2 * seconds) ?? (['s', 1] as const)
  const [used, whole] = [round6(usedSeconds / size), round6(allowedSeconds / size)]
  const rest = round6(whole - used)
  const allowed = Math.max(step, Number(whole.toFixed(whole < 10 ? 1 : 0)))
  if (rest <= 0) return { used: Math.max(allowed, Math.floor(used)), left: 0, allowed, unit }
  const isFine = used < 10 || whole < 10 || rest < 1
  const roundedUsed = Math.min(isFine ? floorToStep(used) : Math.floor(used), round6(allowed - step))
  const left =
    rest < 1 ? Math.max(step, floorToStep(rest)) : round6(allowed - (used > 0 ? Math.max(step, roundedUsed) : 0))
  return { used: roundedUsed, left, allowed, unit }
}

/** Formats the used time without its unit, as `1.4`; `< 0.1` if it rounds to 0. `exact`: the time before rounding, in any unit. */
export function usedText({ used }: TimeBudget, exact: number, format: (n: number) => string): string {
  return used === 0 && exact > 0 ? `<\u2009${format(step)}` : format(used)
}

function floorToStep(value: number): number {
  return Math.floor(round6(value * 10)) / 10
}
