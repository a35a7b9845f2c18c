import type { Outcome } from './suffer.ts'

/** Table with a row per break, sorted by name: number of runs, reports, and the longest times in seconds. */
export function tableOf(outcomes: Outcome[]): string {
  const titles = ['break', 'times', 'seen', 'within s', 'right after s', 'problems']
  const byName = [...Map.groupBy(outcomes, ({ name }) => name)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rows = byName.map(([name, some]) => [
    name,
    String(some.length),
    seenIn(some),
    longest(some.map(({ seenSeconds }) => seenSeconds)),
    longest(some.map(({ rightSeconds }) => rightSeconds)),
    String(some.filter(({ problems }) => problems.length > 0).length),
  ])
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const lines = [titles, ...rows].map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function seenIn(outcomes: Outcome[]): string {
  const kindOf = ({ seen }: Outcome) => seen.replace(/(is damaged): [^,]*/, '$1') // the place differs between runs
  const counts = [...Map.groupBy(outcomes, kindOf)].map(([seen, { length }]) => ({ seen, length }))
  return counts.map(({ seen, length }) => (counts.length > 1 ? `${seen} (${length})` : seen)).join('; ')
}

function longest(seconds: number[]): string {
  const known = seconds.filter(Number.isFinite)
  return known.length > 0 ? Math.max(...known).toFixed(1) : '-'
}
