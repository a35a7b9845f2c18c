/** Line of an error budget policy: what holds while at most so much of the budget is left. `url`: empty if there is none. */
export type PolicyLine = { percent_left: number; text: string; url: string }

/** Line that holds: the lowest percent that is not below what is left. Null: none does, or nothing is known of the budget. */
export function lineThatHolds(lines: readonly PolicyLine[], leftPercent: number | null): PolicyLine | null {
  if (leftPercent === null) return null
  const reached = lines.filter(({ percent_left }) => percent_left >= leftPercent)
  return reached.toSorted((a, b) => a.percent_left - b.percent_left)[0] ?? null
}
