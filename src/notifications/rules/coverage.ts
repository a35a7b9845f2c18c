import type { Db } from '../../db/open.ts'
import type { Cause } from '../../db/tables/tables.ts'
import { listRuleGroups, listSloNames, type RuleGroupRow } from './coverage-store.ts'

export type RuleGroup = Omit<RuleGroupRow, 'rule_ids' | 'slo_ids'> & { rule_ids: number[]; slo_ids: number[] }

/** `uncovered`: the SLOs of whose alerts no channel is notified. */
export type Coverage = { slos: { id: number; name: string }[]; groups: RuleGroup[]; uncovered: number[] }

/** A rule for these notifies of no alert: only of its end, or of nines itself. */
const withoutAlert: ReadonlySet<Cause> = new Set(['recovery', 'appliance_condition'])

/** Which SLOs the rules of an organization cover, as rules and channels are now. */
export async function readCoverage(db: Db, organizationId: number): Promise<Coverage> {
  const groups = (await listRuleGroups(db, organizationId)).map((row): RuleGroup => ({
    ...row,
    rule_ids: JSON.parse(row.rule_ids),
    slo_ids: JSON.parse(row.slo_ids).filter((id: number | null) => id !== null),
  }))
  const slos = await listSloNames(db, organizationId)
  const covering = groups.filter(
    ({ enabled, channel_enabled, cause }) => enabled === 1 && channel_enabled === 1 && !withoutAlert.has(cause),
  )
  const covered = new Set(covering.flatMap(({ slo_ids }) => slo_ids))
  return { slos, groups, uncovered: slos.map(({ id }) => id).filter((id) => !covered.has(id)) }
}
