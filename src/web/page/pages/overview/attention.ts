import type { OverviewSlo } from '../../api/types.ts'

const dayMs = 86_400_000

/**
 * Rank of an SLO by attention, smaller is more urgent: a firing page or critical alert, an overspent budget, another firing
 * alert, a budget that will be used up within three days, status critical or warning, status unknown, stale data, all others.
 * Silenced alerts do not count.
 */
export function attentionRank(slo: OverviewSlo, nowMs: number): number {
  const loud = slo.firing.filter(({ silenced }) => !silenced)
  if (loud.some(({ severity }) => severity === 'page' || severity === 'critical')) return 0
  if (slo.percentage_remaining !== null && slo.percentage_remaining < 0) return 1
  if (loud.length > 0) return 2
  if (slo.exhausts_at !== null && Date.parse(slo.exhausts_at) - nowMs < 3 * dayMs) return 3
  if (slo.status === 'critical' || slo.status === 'warning') return 4
  if (slo.status === 'unknown') return 5
  if (slo.stale) return 6
  return 7
}

const calmRank = 7

/** Numbers of SLOs that need attention, are healthy, and are unknown. */
export function countAttention(
  slos: readonly OverviewSlo[],
  nowMs: number,
): { attention: number; healthy: number; unknown: number } {
  const counts = { attention: 0, healthy: 0, unknown: 0 }
  for (const slo of slos) {
    if (slo.status === 'unknown') counts.unknown++
    else if (attentionRank(slo, nowMs) < calmRank) counts.attention++
    else counts.healthy++
  }
  return counts
}

export type SortKey = 'attention' | 'name' | 'sli' | 'budget' | 'burn'

/** Default direction of each key; attention is never reversed. */
export const firstOrder = {
  attention: 'descending',
  name: 'ascending',
  sli: 'ascending',
  budget: 'ascending',
  burn: 'descending',
} as const satisfies Record<SortKey, 'ascending' | 'descending'>

/** Sorts SLOs. Those without the value come last, also in reverse order. Ties are ordered by name, then id. */
export function sortSlos(slos: readonly OverviewSlo[], by: SortKey, nowMs: number, isReversed = false): OverviewSlo[] {
  const left = ({ percentage_remaining: left }: OverviewSlo) => left ?? Infinity
  const keys: Record<SortKey, (slo: OverviewSlo) => number> = {
    attention: (slo) => attentionRank(slo, nowMs),
    name: () => 0,
    sli: ({ sli, target }) => (sli === null ? Infinity : sli - target),
    budget: left,
    burn: ({ burn }) => (burn === null ? Infinity : -burn.rate),
  }
  const key = keys[by]
  const turn = isReversed ? -1 : 1
  return slos
    .map((slo) => ({ slo, key: key(slo), left: by === 'attention' ? left(slo) : 0 }))
    .toSorted(
      (a, b) =>
        (a.key === Infinity || b.key === Infinity ? 1 : turn) * compare(a.key, b.key) ||
        compare(a.left, b.left) ||
        (by === 'name' ? turn : 1) * byName.compare(a.slo.name, b.slo.name) ||
        a.slo.id - b.slo.id,
    )
    .map(({ slo }) => slo)
}

const byName = new Intl.Collator('en', { numeric: true }) // `localeCompare` takes ten times as long

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}
