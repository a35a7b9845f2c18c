import type { Db } from '../../db/open.ts'
import type { Cause, ChannelRow, RuleRow } from '../../db/tables/tables.ts'
import { listSelectable, readRuleTexts } from './coverage-store.ts'
import { type ChannelRule, listDefaultChannels, listRulesOfSlos, listSelectorRules } from './in-force-store.ts'
import { retriesOf } from './rules.ts'
import { createInheritance, type SelectableSlo } from './selectors.ts'

/**
 * Rule by which a channel is notified of a cause for one SLO. `by`: what selects the SLO. `id` null: no stored rule; the channel is
 * a default channel.
 */
export type RuleInForce = Pick<
  RuleRow,
  | 'channel_id'
  | 'cause'
  | 'alert_type'
  | 'severity'
  | 'priority'
  | 'subject'
  | 'message'
  | 'max_retries'
  | 'min_interval_seconds'
  | 'selector'
> & { id: number | null; slo_id: number; channel_type: string; by: RuleSource }

/** Sources of a rule in force: its `slo_id`, its selector, or a default channel; an earlier one overrides a later one. */
export const ruleSources = ['rule', 'selector', 'default'] as const
export type RuleSource = (typeof ruleSources)[number]

/** Rule in force without its texts, which may be long. */
export type RuleHeader = Omit<RuleInForce, 'subject' | 'message'>

/**
 * Rules in force for these SLOs, at most one for each SLO, channel and cause: enabled rules whose channels are enabled, by the
 * precedence of `createInheritance`. Takes the same few statements however many SLOs there are.
 */
export async function listRulesInForce(trx: Db, sloIds: number[]): Promise<RuleInForce[]> {
  const headers = await findRulesInForce(trx, await listSelectable(trx, sloIds))
  const ids = [...new Set(headers.flatMap(({ id }) => id ?? []))]
  const textsOf: Map<number | null, Pick<RuleRow, 'subject' | 'message'>> = ids.length > 0
    ? await readRuleTexts(trx, ids)
    : new Map()
  return headers.map((header) => Object.assign(header, textsOf.get(header.id) ?? withoutTexts))
}

const withoutTexts = { subject: null, message: null }

/** Finds the rules in force for SLOs, without their texts; an SLO need not be stored. */
export async function findRulesInForce(db: Db, slos: readonly SelectableSlo[]): Promise<RuleHeader[]> {
  const organizations = [...new Set(slos.map(({ organization_id }) => organization_id))]
  const ids = slos.map(({ id }) => id)
  const ownRulesOf = Map.groupBy(await listRulesOfSlos(db, ids), ({ slo_id }) => slo_id)
  const selectors = await listSelectorRules(db, organizations)
  const channels = await listDefaultChannels(db, organizations)
  const inheritedBy = createInheritance(selectors, channels)
  return slos.flatMap((slo) => {
    const ofSlo = ownRulesOf.get(slo.id) ?? []
    const { selected, defaults } = inheritedBy(slo, ofSlo)
    return [
      ...ofSlo.filter(isEnabled).map((rule) => headerOf(rule, slo.id, 'rule')),
      ...selected.filter(isEnabled).map((rule) => headerOf(rule, slo.id, 'selector')),
      ...defaults.map(({ channel, cause }) => ({
        ...defaultChannelSettings(channel, cause),
        id: null,
        selector: null,
        slo_id: slo.id,
        channel_type: channel.channel_type,
        by: 'default' as const,
      })),
    ]
  })
}

function isEnabled({ enabled }: ChannelRule): boolean {
  return enabled === 1
}

/** Header of a rule for one SLO, field by field: copied for many SLOs, a spread takes several times as long. */
function headerOf(rule: ChannelRule & Pick<RuleRow, 'selector'>, slo_id: number, by: RuleSource): RuleHeader {
  return {
    id: rule.id,
    slo_id,
    channel_id: rule.channel_id,
    channel_type: rule.channel_type,
    cause: rule.cause,
    alert_type: rule.alert_type,
    severity: rule.severity,
    priority: rule.priority,
    max_retries: rule.max_retries,
    min_interval_seconds: rule.min_interval_seconds,
    selector: rule.selector,
    by,
  }
}

/** Settings with which a default channel is notified of a cause. */
export function defaultChannelSettings(channel: Pick<ChannelRow, 'id' | 'max_retries'>, cause: Cause) {
  return {
    channel_id: channel.id,
    cause,
    alert_type: cause,
    severity: null,
    priority: 'auto',
    max_retries: retriesOf('auto', channel),
    min_interval_seconds: 0,
  } as const
}
