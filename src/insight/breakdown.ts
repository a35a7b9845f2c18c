/**
 * Events of each value of a label: on the counted side of the SLI, and in total. Series without the label have the value "".
 */
export type LabelCounts = { label: string; counted: Map<string, number>; total: Map<string, number> }

/** Events that the counted side counts, and the labels by whose values the SLI itself selects failures. */
export type Selection = { counts: 'good' | 'bad'; selecting: ReadonlySet<string> }

/** `total` null: the series of the total do not have the label. Percentages are of all failures, and of all events. */
type ValueShare = {
  value: string
  bad: number
  total: number | null
  failuresPercent: number
  trafficPercent: number | null
}

/**
 * A label and its values, those that failed most beyond their share of the traffic first. `needed` values make up 80 % of this
 * excess, which is `excessPercent` of all failures. `explains`: the excess is neither slight nor chance. `isSelecting`: the SLI
 * selects failures by this label.
 */
export type LabelShares = {
  label: string
  isSelecting: boolean
  explains: boolean
  needed: number
  excessPercent: number
  values: ValueShare[]
}

/** Number of values that a label must have to be compared. */
export const valuesCompared = { min: 2, max: 50 }
const explainedShare = 0.8
const minExcessShare = 0.2
const minDeviations = 4
const negligible = { share: 0.05, events: 1 }

/**
 * Ranks the labels by which failures can be compared with traffic, the best explanation first. Arithmetic: docs/slo-math.md,
 * "Breakdown".
 */
export function rankLabels(labels: readonly LabelCounts[], selection: Selection): LabelShares[] {
  return labels
    .map((one) => sharesOf(one, selection))
    .filter((one) => one !== null)
    .toSorted(
      (a, b) =>
        Number(b.explains) - Number(a.explains) ||
        Number(a.isSelecting) - Number(b.isSelecting) ||
        a.needed - b.needed ||
        b.excessPercent - a.excessPercent ||
        (a.label < b.label ? -1 : 1),
    )
}

function sharesOf(counts: LabelCounts, selection: Selection): LabelShares | null {
  const values = eventsOf(counts, selection)
  if (!values || values.length < valuesCompared.min || values.length > valuesCompared.max) return null
  const bad = sum(values.map((one) => one.bad))
  const total = sum(values.map((one) => one.total ?? 0))
  if (bad <= 0) return null
  const isSelecting = selection.selecting.has(counts.label) || !hasLabel(counts.total)
  // A selecting value has failures only, or none: its traffic predicts nothing.
  const expected = values.map((one) => (isSelecting || total <= 0 ? 0 : (bad * (one.total ?? 0)) / total))
  const rows = values
    .map((one, at) => ({ ...one, excess: one.bad - (expected[at] ?? 0) }))
    .toSorted((a, b) => b.excess - a.excess || b.bad - a.bad || (a.value < b.value ? -1 : 1))
  const excesses = rows.map(({ excess }) => Math.max(0, excess))
  const excess = sum(excesses)
  return {
    label: counts.label,
    isSelecting,
    explains: isSelecting || (excess >= minExcessShare * bad && isBeyondChance(values, expected)),
    needed: neededFor(excesses, explainedShare * excess),
    excessPercent: (100 * excess) / bad,
    values: rows.map((one) => ({
      value: one.value,
      bad: one.bad,
      total: one.total,
      failuresPercent: (100 * one.bad) / bad,
      trafficPercent: one.total === null || total <= 0 ? null : (100 * one.total) / total,
    })),
  }
}

type Events = { value: string; bad: number; total: number | null }

/**
 * Failures and events by value; null if the two sides do not have the label in the same way, so that values cannot be compared.
 */
function eventsOf({ counted, total }: LabelCounts, { counts }: Selection): Events[] | null {
  const isOnBoth = hasLabel(total) && (hasLabel(counted) || counted.size === 0)
  if (counts === 'bad' && hasLabel(counted) && !hasLabel(total)) {
    return [...counted].map(([value, bad]) => ({ value, bad: Math.max(0, bad), total: null }))
  }
  if (!isOnBoth) return null
  const all = [...new Set([...total.keys(), ...counted.keys()])].map((value) => {
    const [countedEvents, events] = [counted.get(value) ?? 0, total.get(value) ?? 0]
    return { value, bad: counts === 'bad' ? countedEvents : events - countedEvents, total: events }
  })
  if (all.some((one) => one.bad < -negligible.events - negligible.share * one.total)) return null
  return all.map((one) => ({ ...one, bad: Math.max(0, one.bad) }))
}

const hasLabel = (counts: ReadonlyMap<string, number>) => counts.keys().some((value) => value !== '')

/** Number of parts, the largest first, that reach the goal. */
function neededFor(parts: readonly number[], goal: number): number {
  let reached = 0
  const last = parts.findIndex((part) => (reached += part) >= goal)
  return last === -1 ? parts.length : last + 1
}

/** True if failures differ between values more than at random (chi-square, beyond its mean by four standard deviations). */
function isBeyondChance(values: readonly Events[], expected: readonly number[]): boolean {
  const distance = sum(values.map(({ bad }, at) => (bad - (expected[at] ?? 0)) ** 2 / Math.max(0.5, expected[at] ?? 0)))
  const freedom = values.length - 1
  return distance > freedom + minDeviations * Math.sqrt(2 * freedom)
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
