/**
 * Measured value of nines with its goal. `beside`: the same value of a baseline or competitor, measured alternately in the same
 * run. The goal then applies to the ratio nines / beside, which is reliable on a busy machine too.
 */
export type Figure = {
  what: string
  value: number
  unit: string
  beside?: { name: string; value: number }
  goal: { atMost: number } | { atLeast: number }
}

/** Table of `npm run bench`: each value, its comparison, the goal, and whether it is met. */
export function goalTable(figures: Figure[]): string {
  const rows = figures.map(({ what, value, unit, beside, goal }) => [
    what,
    `${formatted(value)} ${unit}`,
    beside ? `${beside.name} ${formatted(beside.value)} ${unit}` : '',
    beside ? formatted(value / beside.value) : '',
    'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`,
    isMet({ value, beside, goal }) ? 'met' : 'MISSED',
  ])
  const head = ['what', 'nines', 'beside', 'ratio', 'goal', '']
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function isMet({ value, beside, goal }: Pick<Figure, 'value' | 'goal'> & { beside: Figure['beside'] }): boolean {
  const compared = beside ? value / beside.value : value
  return 'atMost' in goal ? compared <= goal.atMost : compared >= goal.atLeast
}

/** Formats a value with three significant digits. */
function formatted(value: number): string {
  return value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}
