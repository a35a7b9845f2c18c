import { leftPercent } from '../../slo/budget-words.ts'
import type { OverviewSlo } from '../../api/types.ts'
import { rankOf, shownState, statedOf } from '../../slo/states.ts'

/** Numbers of SLOs that need attention, are on track, of which nothing is known, and that are paused. */
export function countAttention(slos: readonly OverviewSlo[]) {
  const counts = { attention: 0, onTrack: 0, unknown: 0, paused: 0 }
  for (const slo of slos) {
    if (slo.state === 'ok') counts.onTrack++
    else if (shownState(slo) === 'paused') counts.paused++
    // an unknown SLO whose incident is open (`was`) needs attention
    else if ((slo.state === 'unknown' && !statedOf(slo).was) || slo.state === 'measuring') counts.unknown++
    else counts.attention++
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

/**
 * Sorts SLOs. By attention: by the rank of their state, then by the time when their budget is used up, then by the budget that is left.
 * SLOs without the value come last, also in reverse order. Ties are ordered by name, then id.
 */
export function sortSlos(slos: readonly OverviewSlo[], by: SortKey, isReversed = false): OverviewSlo[] {
  const left = (slo: OverviewSlo) => leftPercent(slo) ?? Infinity
  const keys: Record<SortKey, (slo: OverviewSlo) => number> = {
    attention: (slo) => rankOf(statedOf(slo)),
    name: () => 0,
    sli: ({ sli, target }) => (sli === null ? Infinity : sli - target),
    budget: left,
    burn: ({ burn_rate_now: rate }) => (rate === null ? Infinity : -rate),
  }
  const key = keys[by]
  const direction = isReversed ? -1 : 1
  return slos
    .map((slo) => ({ slo, key: key(slo), ...(by === 'attention' ? { end: endOf(slo), left: left(slo) } : tie) }))
    .toSorted(
      (a, b) =>
        (a.key === Infinity || b.key === Infinity ? 1 : direction) * compare(a.key, b.key) ||
        compare(a.end, b.end) ||
        compare(a.left, b.left) ||
        (by === 'name' ? direction : 1) * byName.compare(a.slo.name, b.slo.name) ||
        a.slo.id - b.slo.id,
    )
    .map(({ slo }) => slo)
}

const tie = { end: 0, left: 0 } // equal for all SLOs: only the order by attention has further keys

/** Time when the budget is forecast to be used up, in Unix milliseconds; 0 if it is used up, Infinity without a forecast. */
function endOf({ exhausts_at, window_percent_used: used }: OverviewSlo): number {
  if (used !== null && used >= 100) return 0
  return exhausts_at === null ? Infinity : Date.parse(exhausts_at)
}

const byName = new Intl.Collator('en', { numeric: true }) // `localeCompare` takes ten times as long

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}
