import { round10 } from './budget.ts'
import type { WindowSum } from './window-sum.ts'

export const compositeMethods = ['weighted', 'events', 'worst'] as const
export type CompositeMethod = (typeof compositeMethods)[number]

/** Effects of a member whose SLI is not known. */
export const unknownMemberRules = ['unknown', 'leave_out'] as const

/**
 * An SLO over other SLOs, as in the JSON of `slos.composite`. Its sums over a window are computed from those of its members over
 * the same window. Rules: docs/slo-math.md, "Composites".
 */
export type Composite = {
  method: CompositeMethod
  members: { slo_id: number; weight: number }[]
  on_unknown_member: (typeof unknownMemberRules)[number]
}

/** Composite of a stored row; null: the SLO is measured by queries. */
export function parseComposite({ composite }: { composite: string | null }): Composite | null {
  return composite === null ? null : JSON.parse(composite)
}

/** Sum of a member over a window; null: it is deleted, paused or cannot be combined, so that nothing of it is known. */
export type MemberSum = WindowSum | null

const nothing: WindowSum = { good: 0, total: 0, coveredSeconds: 0 }

/** Share of the time of the best covered member that another must have to count, where unknown members are left out. */
const minCoverage = 0.5

/**
 * Sum of a composite over a window from the sums of its members, in the order of `members`. By `events` it is the sum of events. Otherwise
 * `total` is the covered time and `good` that time multiplied by the SLI. Covers nothing if it is not known.
 */
export function combineSums(composite: Composite, sums: readonly MemberSum[]): WindowSum {
  const knownMembers = countedMembers(composite, sums)
  if (knownMembers.length === 0) return nothing
  const coveredSeconds = Math.min(...knownMembers.map(({ sum }) => sum.coveredSeconds))
  if (composite.method === 'events') {
    const total = knownMembers.reduce((all, { sum }) => all + sum.total, 0)
    return { good: knownMembers.reduce((all, { sum }) => all + sum.good, 0), total, coveredSeconds }
  }
  const ratios = knownMembers.flatMap(({ weight, sum }) => (sum.total > 0 ? [{ weight, ratio: shareOf(sum) }] : []))
  if (ratios.length === 0) return { good: 0, total: 0, coveredSeconds }
  const ratio = composite.method === 'worst' ? Math.min(...ratios.map((one) => one.ratio)) : meanOf(ratios)
  return { good: coveredSeconds * ratio, total: coveredSeconds, coveredSeconds }
}

/**
 * Part that each member has in the failures of a composite over a window, 0..1, in the order of `members`; null: it is not counted. All
 * are 0 if nothing failed.
 */
export function failureShares(composite: Composite, sums: readonly MemberSum[]): (number | null)[] {
  const knownMembers = countedMembers(composite, sums)
  const failures = knownMembers.map(({ weight, sum }) => {
    if (composite.method === 'events') return Math.max(0, sum.total - sum.good)
    return sum.total > 0 ? (composite.method === 'weighted' ? weight : 1) * (1 - shareOf(sum)) : 0
  })
  const worst = failures.indexOf(Math.max(...failures))
  const all = composite.method === 'worst' ? (failures[worst] ?? 0) : failures.reduce((sum, one) => sum + one, 0)
  const shares = new Map(
    knownMembers.map(({ memberIndex }, index) => {
      const failed = composite.method === 'worst' && index !== worst ? 0 : (failures[index] ?? 0)
      return [memberIndex, all > 0 ? round10(failed / all) : 0]
    }),
  )
  return composite.members.map((_, memberIndex) => shares.get(memberIndex) ?? null)
}

/** Members that count in a window; empty if a member that is not known makes the composite unknown. */
function countedMembers({ members, on_unknown_member: rule }: Composite, sums: readonly MemberSum[]) {
  const known = members.flatMap(({ weight }, memberIndex) => {
    const sum = sums[memberIndex]
    return sum && sum.coveredSeconds > 0 ? [{ memberIndex, weight, sum }] : []
  })
  if (rule === 'unknown') return known.length < members.length ? [] : known
  const longest = Math.max(...known.map(({ sum }) => sum.coveredSeconds))
  return known.filter(({ sum }) => sum.coveredSeconds >= minCoverage * longest)
}

function shareOf({ good, total }: WindowSum): number {
  return Math.min(1, Math.max(0, good / total))
}

function meanOf(ratios: readonly { weight: number; ratio: number }[]): number {
  const weights = ratios.reduce((sum, { weight }) => sum + weight, 0)
  return ratios.reduce((sum, { weight, ratio }) => sum + weight * ratio, 0) / weights
}
