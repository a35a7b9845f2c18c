const minDeviations = 4

/** True if there are more failures than a Poisson process with this mean explains. */
export function isBeyondChance(bad: number, expected: number): boolean {
  return bad > expected + minDeviations * Math.sqrt(Math.max(expected, 0.25))
}
