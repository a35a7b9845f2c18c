/** Stops of the slider: 50, 60, 70, 80, 85, whole percents from 90, then nine for each further decimal, up to 99.999. */
export const sliderTargets: readonly number[] = [
  50,
  60,
  70,
  80,
  85,
  ...Array.from({ length: 10 }, (_, at) => 90 + at),
  ...[1, 2, 3].flatMap((place) =>
    Array.from({ length: 9 }, (_, at) => Number((100 - 10 ** (1 - place) + (at + 1) * 10 ** -place).toFixed(place))),
  ),
]

/** Index of the slider's stop that is nearest to a target, by its number of nines. */
export function nearestStop(target: number): number {
  const distance = (at: number) => Math.abs(nines(sliderTargets[at] ?? 0) - nines(target))
  return sliderTargets.reduce((best, _, at) => (distance(at) < distance(best) ? at : best), 0)
}

/** Number of nines of a target; 9 if nothing may fail, more than any stop has. */
function nines(target: number): number {
  return target >= 100 ? 9 : -Math.log10(1 - target / 100)
}

/** Typed target; null if it is not a number above 0 and at most 100. */
export function readTarget(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.'))
  return value > 0 && value <= 100 ? value : null
}
