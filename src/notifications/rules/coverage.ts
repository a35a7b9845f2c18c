import { boundedByBytes, inChunks } from '../../concurrency/chunks.ts'
import { type AsyncCooperativeTask, awaitStep } from '../../concurrency/cooperative.ts'
import type { Db } from '../../db/open.ts'
import type { Cause } from '../../db/tables/tables.ts'
import {
  type CoveringChannel,
  type CoveringRule,
  listCoveringChannels,
  listCoveringRules,
  listRuleSizes,
  listSelectable,
  listSloNames,
} from './coverage-store.ts'
import { type RuleSource, defaultChannelSettings } from './rules-in-force.ts'
import { createInheritance, defaultCauses } from './selectors.ts'

/**
 * Rules of one channel and cause that are equal but for their SLOs, `slo_ids`. `textCharacters`: length of their subject and message
 * as JSON; the texts are read from the first rule. `rule_ids` is empty for a default channel, which notifies without a rule.
 */
export type RuleGroup = Omit<CoveringRule, 'id' | 'organization_id' | 'slo_id' | 'subject' | 'message'> & {
  by: RuleSource
  channel: CoveringChannel
  textCharacters: number
  rule_ids: number[]
  slo_ids: number[]
}

/** SLOs and the rules that cover them. `uncovered`: SLOs whose alerts notify no channel. */
export type Coverage = { slos: { id: number; name: string }[]; groups: RuleGroup[]; uncovered: number[] }

/** Causes whose rules notify of no alert of an SLO: only of its end, or of nines itself. */
const causesWithoutAlert: ReadonlySet<Cause> = new Set(['recovery', 'appliance_condition'])

const rulesPerBatch = 2000

/** Reads which active SLOs an organization's rules cover now. Yields to the event loop; reads texts in bounded chunks. */
export function* readCoverage(db: Db, organizationId: number): AsyncCooperativeTask<Coverage> {
  const slos = yield* awaitStep(listSloNames(db, organizationId))
  const channels = yield* awaitStep(listCoveringChannels(db, organizationId))
  const channelOf = new Map(channels.map((channel) => [channel.id, channel]))
  const activeIds = new Set<number | null>([null, ...slos.map(({ id }) => id)])
  const groups = new Map<string, RuleGroup>()
  const ownOf = new Map<number, CoveringRoute[]>()
  const selectors: SelectorRule[] = []
  for (let afterId = 0, lastCount = rulesPerBatch; lastCount === rulesPerBatch;) {
    const rules = yield* awaitStep(listRuleSizes(db, organizationId, { afterId, limit: rulesPerBatch }))
    lastCount = rules.length
    afterId = rules.at(-1)?.id ?? afterId
    const listed = rules.filter(({ slo_id }) => activeIds.has(slo_id))
    for (const chunk of boundedByBytes(listed, ({ bytes }) => bytes)) {
      for (const rule of yield* awaitStep(
        listCoveringRules(
          db,
          chunk.map(({ id }) => id),
        ),
      )) {
        const group = addTo(groups, rule, channelOf)
        const { id, organization_id, slo_id, selector, channel_id, cause } = rule
        if (slo_id !== null) ownOf.getOrInsertComputed(slo_id, () => []).push({ channel_id, cause })
        if (group && selector !== null) selectors.push({ id, organization_id, selector, channel_id, cause, group })
        yield
      }
    }
  }
  const defaults = yield* addInherited(
    db,
    slos.map(({ id }) => id),
    { ownOf, selectors, channels: channels.filter(({ is_default }) => is_default === 1) },
  )
  const all = [...groups.values(), ...defaults]
  const covering = all.filter(
    ({ enabled, channel, cause }) => enabled === 1 && channel.enabled === 1 && !causesWithoutAlert.has(cause),
  )
  const covered = new Set(covering.flatMap(({ slo_ids }) => slo_ids))
  return { slos, groups: all, uncovered: slos.map(({ id }) => id).filter((id) => !covered.has(id)) }
}

type CoveringRoute = Pick<CoveringRule, 'channel_id' | 'cause'>
type SelectorRule = Pick<CoveringRule, 'id' | 'organization_id' | 'channel_id' | 'cause'> & {
  selector: string
  group: RuleGroup
}
type Inheritance = {
  ownOf: ReadonlyMap<number, CoveringRoute[]>
  selectors: readonly SelectorRule[]
  channels: readonly CoveringChannel[]
}

const slosPerBatch = 50 // with labels of at most 20 kB each

/** Adds SLOs to the groups of the selectors by which they notify, and returns the groups of default channels with their SLOs. */
function* addInherited(
  db: Db,
  sloIds: number[],
  { ownOf, selectors, channels }: Inheritance,
): AsyncCooperativeTask<RuleGroup[]> {
  const defaults = new Map<string, RuleGroup>()
  if (selectors.length + channels.length === 0) return []
  const inheritedBy = createInheritance(selectors, channels)
  for (const channel of channels) {
    for (const cause of defaultCauses) defaults.set(`${channel.id} ${cause}`, defaultGroup(channel, cause))
  }
  for (const ids of inChunks(sloIds, slosPerBatch)) {
    for (const slo of yield* awaitStep(listSelectable(db, ids))) {
      const decided = inheritedBy(slo, ownOf.get(slo.id) ?? [])
      for (const { group } of decided.selected) group.slo_ids.push(slo.id)
      for (const { channel, cause } of decided.defaults) defaults.get(`${channel.id} ${cause}`)?.slo_ids.push(slo.id)
      yield
    }
  }
  return [...defaults.values()]
}

function defaultGroup(channel: CoveringChannel, cause: Cause): RuleGroup {
  const settings = defaultChannelSettings(channel, cause)
  return {
    ...settings,
    by: 'default',
    selector: null,
    enabled: 1,
    channel,
    textCharacters: 0,
    rule_ids: [],
    slo_ids: [],
  }
}

/** Adds a rule to the group of rules that are equal but for their SLOs; undefined if its channel is gone. */
function addTo(
  groups: Map<string, RuleGroup>,
  rule: CoveringRule,
  channelOf: Map<number, CoveringChannel>,
): RuleGroup | undefined {
  const { id, organization_id: _, slo_id, subject, message, alert_type, ...same } = rule
  const channel = channelOf.get(rule.channel_id)
  if (!channel) return undefined
  const text = JSON.stringify([subject, message])
  const key = `${JSON.stringify(same)} ${Bun.CryptoHasher.hash('sha256', text, 'hex')}`
  const by = rule.selector === null ? 'rule' : 'selector'
  const make = (): RuleGroup => ({
    ...same,
    by,
    alert_type,
    channel,
    textCharacters: text.length,
    rule_ids: [],
    slo_ids: [],
  })
  const group: RuleGroup = groups.getOrInsertComputed(key, make)
  // two alert types of one cause mean the same: take the alphabetically first, whatever the order of the rules
  if (alert_type < group.alert_type) group.alert_type = alert_type
  group.rule_ids.push(id)
  if (slo_id !== null) group.slo_ids.push(slo_id)
  return group
}
