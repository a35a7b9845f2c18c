const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** Unit of a duration, as the page and messages write it. */
export type DurationUnit = (typeof units)[number][0]

/**
 * Divides a duration into whole numbers of its largest unit and of the next, rounded to that one: `2 d 4 h`, `9 h 44 min`.
 * Minutes have no seconds beside them: 150 s are `3 min`. A part of 0 is left out, except that of `0 s`.
 */
export function durationParts(seconds: number): { count: number; unit: DurationUnit }[] {
  const total = Math.max(0, seconds)
  const step = stepOf(total)
  let rest = Math.round(total / step) * step
  const parts = units
    .filter(([, size]) => size >= step)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size)
      rest -= count * size
      return { count, unit }
    })
    .filter(({ count }) => count > 0)
  return parts.length > 0 ? parts : [{ count: 0, unit: 's' }]
}

/** Step in seconds to which a duration is rounded. The bounds keep 59.5 s from reading `60 s`, and 23 h 59.5 min from `24 h`. */
function stepOf(seconds: number): number {
  if (seconds < 59.5) return 1
  return seconds < 86_370 ? 60 : 3600
}
