import { ApiError, send } from '../../../api/client.ts'
import type { RuleGroup, Selector } from '../../../api/history.ts'
import { sentenceOf } from '../../../api/problems.ts'
import { bodyOf, type Kind, selfMonitoringAlertType } from './rule-words.ts'

/** Values of the form of a rule. `selector` null: the rules are for `slos`. */
export type RuleDraft = {
  channelId: number
  types: ReadonlySet<Kind>
  severity: string | null
  priority: string
  intervalSeconds: number
  slos: ReadonlySet<number>
  selector: Selector | null
}

/** True if one of the chosen kinds is for SLOs, or none is chosen yet. */
export function needsSlos(types: ReadonlySet<Kind>): boolean {
  return types.size === 0 || [...types].some((type) => type !== selfMonitoringAlertType)
}

/** Problems of a draft by field; undefined if there are none. `group`: the rules that it changes. */
export function missingOf(
  { types, slos, selector }: RuleDraft,
  group: RuleGroup | undefined,
): Record<string, string> | undefined {
  if (group || needsSlos(types)) {
    if (selector === null && slos.size === 0) return { slo_ids: 'Choose an SLO.' }
    if (selector?.labels && Object.keys(selector.labels).length === 0) return { selector: 'Add a label.' }
  }
  return !group && types.size === 0 ? { alert_type: 'Choose what it notifies of.' } : undefined
}

/** Settings of new rules for SLOs, one for each kind of alert. */
export function settingsOf({
  channelId,
  types,
  severity,
  priority,
  intervalSeconds,
  slos,
  selector,
}: RuleDraft): object[] {
  return [...types]
    .filter((type) => type !== selfMonitoringAlertType)
    .map((alert_type) => ({
      channel_id: channelId,
      alert_type,
      ...(selector === null ? { slo_ids: [...slos] } : { selector }),
      priority,
      min_interval_seconds: intervalSeconds,
      ...(alert_type === 'burn_rate_too_fast' && { severity }),
    }))
}

/** Creates the rules of a draft. Those for SLOs are stored together; one about nines itself follows. Throws `ApiError`. */
export async function createRules(draft: RuleDraft): Promise<void> {
  const { channelId: channel_id, types, priority, intervalSeconds: min_interval_seconds } = draft
  const settings = settingsOf(draft)
  if (settings.length > 0) await send('PUT', '/notifications/rules/settings', { body: { settings } })
  if (!types.has(selfMonitoringAlertType)) return
  const body = { channel_id, alert_type: selfMonitoringAlertType, priority, min_interval_seconds, notify: false }
  await send('POST', '/notifications/rules', { body }).catch((error: unknown) => {
    if (settings.length === 0) throw error
    throw new ApiError(0, `The rules of the SLOs are saved, that of nines is not. ${sentenceOf(error)}`)
  })
}

/** Changes a group of rules, or the rule of a selector. Throws `ApiError`. */
export async function changeRules(group: RuleGroup, draft: RuleDraft): Promise<void> {
  const { slos, selector, severity, priority, intervalSeconds: min_interval_seconds } = draft
  const changes = { severity, priority, min_interval_seconds }
  if (selector !== null) {
    await send('PUT', `/notifications/rules/${group.rule_ids[0]}`, { body: { selector, ...changes } })
    return
  }
  const remove_slo_ids = group.slo_ids.filter((id) => !slos.has(id))
  await send('PUT', '/notifications/rules/settings', {
    body: { settings: [{ ...bodyOf({ ...group, ...changes }, [...slos]), remove_slo_ids }] },
  })
}
