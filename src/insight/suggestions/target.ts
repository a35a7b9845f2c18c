import { tidy } from '../../slos/arithmetic/budget.ts'

const steps = [90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.99, 99.999]

/** The highest step that the worst window of the past reached, in percent; null where it reached none. */
export function targetOf(worstPercent: number): number | null {
  return steps.findLast((step) => step <= tidy(worstPercent)) ?? null
}

/** In percent with as many decimals as tell it from the step above; never rounded up. */
export function formatWorst(worstPercent: number): string {
  const factor = worstPercent >= 99.99 ? 10_000 : 1000
  return `${Math.floor(tidy(worstPercent) * factor) / factor} %`
}
