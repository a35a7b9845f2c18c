/** Line of an error budget policy: `text` holds while at most `percent_left` percent of the budget remain. `url`: empty if there is none. */
export type PolicyLine = { percent_left: number; text: string; url: string }

/** Owner of a policy: the SLO itself, or its team. */
export type PolicySource = 'slo' | 'team'

/** Policy that applies to an SLO: its lines, and whose it is. */
export type PolicyInForce = { source: PolicySource; lines: readonly PolicyLine[] }

/** Policy of an SLO: its own as a whole, else that of its team. Null: neither has lines. */
export function policyInForce(own: readonly PolicyLine[], ofTeam: readonly PolicyLine[]): PolicyInForce | null {
  if (own.length > 0) return { source: 'slo', lines: own }
  return ofTeam.length > 0 ? { source: 'team', lines: ofTeam } : null
}

/** Line of a policy that holds now, and whose policy it is. */
export type LineInForce = PolicyLine & { source: PolicySource }

/** Line that holds: the one with the lowest percent that is not below `leftPercent`. Null: none does, or the budget is not known. */
export function lineInForce(policy: PolicyInForce | null, leftPercent: number | null): LineInForce | null {
  if (policy === null || leftPercent === null) return null
  const reached = policy.lines.filter(({ percent_left }) => percent_left >= leftPercent)
  const [line] = reached.toSorted((a, b) => a.percent_left - b.percent_left)
  return line ? { ...line, source: policy.source } : null
}
