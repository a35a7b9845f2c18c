import { boundedByBytes } from '../../concurrency/chunks.ts'
import { type AsyncCooperativeTask, awaitStep } from '../../concurrency/cooperative.ts'
import type { Db } from '../../db/open.ts'
import type { Cause } from '../../db/tables/tables.ts'
import {
  type CoveringChannel,
  type CoveringRule,
  listCoveringChannels,
  listCoveringRules,
  listRuleSizes,
  listSloNames,
} from './coverage-store.ts'

/** Rules of one channel and cause that differ only in their SLOs. The first one has their texts, of `textBytes`. */
export type RuleGroup = Omit<CoveringRule, 'id' | 'slo_id' | 'subject' | 'message'> & {
  channel: CoveringChannel
  textBytes: number
  rule_ids: number[]
  slo_ids: number[]
}

/** SLOs and the rules that cover them. `uncovered`: SLOs whose alerts notify no channel. */
export type Coverage = { slos: { id: number; name: string }[]; groups: RuleGroup[]; uncovered: number[] }

/** Causes whose rules notify of no alert of an SLO: only of its end, or of nines itself. */
const withoutAlert: ReadonlySet<Cause> = new Set(['recovery', 'appliance_condition'])

const rulesPerBatch = 2000

/** Reads which active SLOs an organization's rules cover now. Yields to the event loop; reads texts in bounded chunks. */
export function* readCoverage(db: Db, organizationId: number): AsyncCooperativeTask<Coverage> {
  const slos = yield* awaitStep(listSloNames(db, organizationId))
  const channels = yield* awaitStep(listCoveringChannels(db, organizationId))
  const channelOf = new Map(channels.map((channel) => [channel.id, channel]))
  const activeIds = new Set<number | null>([null, ...slos.map(({ id }) => id)])
  const groups = new Map<string, RuleGroup>()
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
        addTo(groups, rule, channelOf)
        yield
      }
    }
  }
  const all = [...groups.values()]
  const covering = all.filter(
    ({ enabled, channel, cause }) => enabled === 1 && channel.enabled === 1 && !withoutAlert.has(cause),
  )
  const covered = new Set(covering.flatMap(({ slo_ids }) => slo_ids))
  return { slos, groups: all, uncovered: slos.map(({ id }) => id).filter((id) => !covered.has(id)) }
}

function addTo(groups: Map<string, RuleGroup>, rule: CoveringRule, channelOf: Map<number, CoveringChannel>): void {
  const { id, slo_id, subject, message, alert_type, ...same } = rule
  const channel = channelOf.get(rule.channel_id)
  if (!channel) return
  const text = JSON.stringify([subject, message])
  const key = `${JSON.stringify(same)} ${Bun.CryptoHasher.hash('sha256', text, 'hex')}`
  const make = () => ({ ...same, alert_type, channel, textBytes: text.length, rule_ids: [], slo_ids: [] })
  const group: RuleGroup = groups.getOrInsertComputed(key, make)
  if (alert_type < group.alert_type) group.alert_type = alert_type
  group.rule_ids.push(id)
  if (slo_id !== null) group.slo_ids.push(slo_id)
}
