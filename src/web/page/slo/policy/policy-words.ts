import type { PolicyLine, PolicySource } from '../../../../slos/arithmetic/budget-policy.ts'
import { formatPercent } from '../../format.ts'

/** Line of an error budget policy in words: `At 25 % or less: Freeze of risky deploys`; of the team's, it ends with `(policy of the team)`. */
export function policyWords({ percent_left, text, source = 'slo' }: PolicyLine & { source?: PolicySource }): string {
  const line = `At ${formatPercent(percent_left)} or less: ${text}`
  return source === 'team' ? `${line} (policy of the team)` : line
}

/** Label of the button that removes a line. `percent`: its share of the budget, as it was typed. */
export function removeLineLabel(percent: string): string {
  return `Remove the line of ${percent} %`
}
