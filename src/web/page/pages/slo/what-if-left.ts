/** What is left of a budget in percent, of a target in percent, both over the same window; null where there is no budget. */
export function leftWith(sliPercent: number, targetPercent: number): number | null {
  return targetPercent >= 100 ? null : 100 - ((100 - sliPercent) / (100 - targetPercent)) * 100
}
