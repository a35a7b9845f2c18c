import { percentile } from '../bench/support/load.ts'
import { laterThan } from './lag.ts'
import { megabytesOf, type Sample, slopePerHour } from './sampler.ts'
import type { Soak } from './soak.ts'

/** Row of the report; `problems`: a sentence for each broken bound. */
export type Row = { what: string; value: string; bound: string; problems: string[] }

/**
 * Bounds of a run. No acknowledged write may be lost and no number may be wrong, at any time. Memory growth is checked only
 * over a life that is long enough to distinguish it from noise: the heap of a new process grows for minutes, and varies by some
 * megabytes between collections.
 */
const bounds = {
  /** Descriptors in addition to those open before the load: clients keep connections for a while. */
  descriptorsMore: 32,
  /** Maximum size of a WAL file. SQLite checkpoints at 4 MB; a long read or a backup delays that. The file does not shrink. */
  walMb: 32,
  warmUpSeconds: 600,
  minLifeSeconds: 1800,
  slopeMbPerHour: 40,
}

export function assess(soak: Soak): Row[] {
  const { samples, idle, client, journal, numbers, delivered, faults, first, last } = soak
  const none = (what: string, of: string, problems: string[]): Row => ({
    what,
    value: `${problems.length}${of}`,
    bound: '0',
    problems,
  })
  const baseline = first?.descriptors ?? NaN
  const walMb = last ? Math.max(0, ...walsOf(last).map(([, bytes]) => megabytesOf(bytes))) : NaN
  const longest = longestLife(samples)
  const lifeSeconds = longest.at(-1)?.ageSeconds ?? 0
  const isLongEnough = lifeSeconds >= bounds.minLifeSeconds
  const slope = (points: Sample[]) => {
    const warm = points.filter(({ ageSeconds }) => ageSeconds >= Math.min(bounds.warmUpSeconds, lifeSeconds / 4))
    return slopePerHour(warm.map(({ ageSeconds, anonMb }) => ({ seconds: ageSeconds, value: anonMb })))
  }
  const slopes: [string, Sample[]][] = [
    ['under load', longest],
    ['while the load pauses', idle.filter(({ life }) => life === longest[0]?.life)],
  ]
  return [
    none(
      'lost writes',
      ` of ${journal.acknowledged()} acknowledged, read again ${journal.checked()} times`,
      journal.lost,
    ),
    none('stuck notifications', ` of ${delivered.taken} delivered`, delivered.stuck),
    none('lost notifications', '', delivered.lost),
    none(
      'repeated without a reason',
      ` (${delivered.repeatedAcrossInterruption} over a kill, a stop, a full disk or a clock)`,
      delivered.repeated,
    ),
    none('last alerts and recoveries missing', '', soak.missingAlarms),
    none(
      'wrong numbers',
      ` of ${numbers.compared} compared; ${numbers.unknown} said why they are unknown`,
      numbers.wrong,
    ),
    none('unexplained errors', ` of ${client.sent()} requests`, client.unexplained),
    none('starts refused', ` of ${faults.kills()} after SIGKILL`, faults.refusals),
    none('other problems', `; ${soak.backups} backups`, [...soak.problems, ...faults.failures]),
    typeof soak.right === 'number'
      ? { what: 'all right after the last break', value: `${soak.right.toFixed(0)} s`, bound: '150 s', problems: [] }
      : { what: 'all right after the last break', value: 'no', bound: '150 s', problems: soak.right },
    bounded(
      'descriptors at the end',
      last?.descriptors ?? NaN,
      baseline + bounds.descriptorsMore,
      `, ${baseline} at first`,
    ),
    bounded('largest WAL at the end, MB', walMb, bounds.walMb, `, ${largestWalMb(samples).toFixed(1)} at most`),
    ...slopes.map(([when, points]): Row => {
      const mbPerHour = slope(points)
      const of = ` over ${(lifeSeconds / 60).toFixed(0)} min`
      if (isLongEnough) return bounded(`memory ${when}, MB/h`, mbPerHour ?? NaN, bounds.slopeMbPerHour, of)
      const value = mbPerHour === null ? 'too few points' : `${mbPerHour.toFixed(1)}${of}`
      return { what: `memory ${when}, MB/h`, value, bound: 'none: too short a life', problems: [] }
    }),
  ]
}

function bounded(what: string, value: number, atMost: number, more: string): Row {
  const isKept = value <= atMost // false for NaN
  const text = value.toFixed(Number.isInteger(value) ? 0 : 1)
  const problems = isKept ? [] : [`${what}: ${text}, not ${atMost} at most`]
  return { what, value: `${text}${more}`, bound: `≤ ${atMost}`, problems }
}

/** Tables of a run in Markdown. */
export function reportOf(soak: Soak, rows: Row[]): string {
  const { minutes, seed, perSecond, samples, client, faults, last } = soak
  const lives = [...Map.groupBy(samples, ({ life }) => life).values()]
  const busy = lives.reduce((sum, life) => sum + (life.at(-1)?.cpuSeconds ?? 0), 0)
  const ends = lives.flatMap((life) => life.at(-1) ?? [])
  const sumOf = (of: (sample: Sample) => number) => ends.reduce((sum, end) => sum + of(end), 0).toFixed(0)
  const lived = lives.reduce((sum, life) => sum + (life.at(-1)?.ageSeconds ?? 0), 0)
  const [reads, quiet] = [times(client.readMs), times(client.quietReadMs)]
  const files = [...(last?.files ?? [])].map(([name, bytes]) => [name, megabytesOf(bytes).toFixed(1)])
  const kept = rows.map(({ what, value, bound, problems }) => [
    what,
    value,
    bound,
    problems.length > 0 ? 'BROKEN' : 'kept',
  ])
  return [
    `${minutes} minutes, seed ${seed}, ${perSecond} requests a second; nines took ${((busy / lived) * 100).toFixed(0)} % of a core.`,
    table(['what', 'measured', 'bound', ''], kept),
    table(
      ['reads', 'count', 'p50 ms', 'p99 ms', 'max ms'],
      [
        ['all', ...reads],
        ['nothing broken', ...quiet],
      ],
    ),
    table(
      ['life', 'minutes', 'MB after 1 min', 'MB at the end', 'most MB', 'with mapped files', 'descriptors'],
      lives.map(rowOfLife),
    ),
    table(
      ['event loop late by more than', 'times'],
      [0.05, 0.25, 1].map((seconds) => [`${seconds} s`, String(laterThan(seconds, soak.lags))]),
    ),
    [
      `What measures this was late by ${soak.ownLagMs.toFixed(0)} ms at most; a time in which nines stood still on purpose counts too.`,
      `Its main thread ran for ${sumOf(({ ranSeconds }) => ranSeconds)} s, and waited ${sumOf(({ waitedSeconds }) => waitedSeconds)} s for a processor that others had.`,
    ].join('\n'),
    table(['file at the end', 'MB'], files),
    table(['broken', 'times'], [...faults.counts].map(([name, count]) => [name, String(count)]).toSorted()),
    table(['error', 'times'], groupedErrors(client.errors)),
  ].join('\n\n')
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Groups errors without the active faults: `during …` would make too many groups. */
function groupedErrors(errors: Map<string, number>): string[][] {
  const grouped = new Map<string, number>()
  for (const [kind, count] of errors) {
    const name = kind.split(', during ')[0] ?? kind
    grouped.set(name, (grouped.get(name) ?? 0) + count)
  }
  return [...grouped].toSorted(([, a], [, b]) => b - a).map(([name, count]) => [name, String(count)])
}

function times(ms: number[]): string[] {
  return [String(ms.length), ...[50, 99, 100].map((percent) => percentile(ms, percent).toFixed(1))]
}

function rowOfLife(life: Sample[]): string[] {
  const [first, last] = [life.find(({ ageSeconds }) => ageSeconds >= 60) ?? life.at(-1), life.at(-1)]
  if (!first || !last) return []
  const max = (of: (sample: Sample) => number) => Math.max(...life.map(of)).toFixed(0)
  const minutes = (last.ageSeconds / 60).toFixed(1)
  const memory = [
    first.anonMb.toFixed(0),
    last.anonMb.toFixed(0),
    max(({ anonMb }) => anonMb),
    max(({ rssMb }) => rssMb),
  ]
  return [String(last.life), minutes, ...memory, max(({ descriptors }) => descriptors)]
}

function longestLife(samples: Sample[]): Sample[] {
  const lives = [...Map.groupBy(samples, ({ life }) => life).values()]
  return lives.toSorted((a, b) => (b.at(-1)?.ageSeconds ?? 0) - (a.at(-1)?.ageSeconds ?? 0))[0] ?? []
}

const walsOf = ({ files }: Sample) => [...files].filter(([name]) => name.endsWith('-wal'))
const largestWalMb = (samples: Sample[]) =>
  Math.max(0, ...samples.flatMap((sample) => walsOf(sample).map(([, bytes]) => megabytesOf(bytes))))
