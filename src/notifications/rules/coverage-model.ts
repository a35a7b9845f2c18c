import { type Static, t } from 'elysia'
import type { Db } from '../../db/open.ts'
import { maxUnstreamedCharacters } from '../../http/bodies/streamed-responses.ts'
import { BodyId, OneOf, readerOf } from '../../http/schemas.ts'
import { boundedByBytes } from '../../concurrency/chunks.ts'
import type { Coverage, RuleGroup } from './coverage.ts'
import { readRuleTextBytes, readRuleTexts } from './coverage-store.ts'
import { ruleSources } from './rules-in-force.ts'
import { presentSelector, RuleRequest, RuleSelector, ruleSettingFields } from './rule-model.ts'

const maxSloIds = 2000
const SloIds = t.Array(BodyId('SLO'), { maxItems: maxSloIds, description: `at most ${maxSloIds} SLO ids` })

/** Kinds of alerts of an SLO. */
const kinds = [
  'violation',
  'warning',
  'recovery',
  'error_budget_low',
  'error_budget_exhausted',
  'burn_rate_too_fast',
] as const

const { selector, priority, subject, message, max_retries, min_interval_seconds, enabled, severity } =
  RuleRequest.properties

export const RuleSetting = t.Object(
  {
    channel_id: BodyId('notification channel'),
    alert_type: OneOf(kinds),
    slo_ids: t.Optional(SloIds),
    selector,
    remove_slo_ids: t.Optional(SloIds),
    priority,
    subject,
    message,
    max_retries,
    min_interval_seconds,
    enabled,
    severity,
  },
  {
    title: 'RuleSetting',
    examples: [{ channel_id: 1, alert_type: 'burn_rate_too_fast', slo_ids: [1], priority: 'critical' }],
  },
)

/** Rule to set for many SLOs, without the fields that select SLOs. */
export const RuleForMany = t.Omit(RuleSetting, ['slo_ids', 'remove_slo_ids', 'selector'], {
  title: 'RuleForMany',
  examples: [{ channel_id: 1, alert_type: 'burn_rate_too_fast', priority: 'critical' }],
  additionalProperties: false,
  description: 'as in PUT /notifications/rules, without SLOs',
})
export const readRuleForMany = readerOf(RuleForMany)

export const RuleSettings = t.Object(
  { settings: t.Array(t.Object(RuleSetting.properties), { minItems: 1, maxItems: 100 }) },
  {
    title: 'RuleSettings',
    examples: [
      {
        settings: [
          { channel_id: 1, alert_type: 'burn_rate_too_fast', slo_ids: [1], severity: 'page' },
          { channel_id: 1, alert_type: 'error_budget_exhausted', slo_ids: [1] },
        ],
      },
    ],
  },
)

export type RuleSetting = Static<typeof RuleSetting>

export const RulesSet = t.Object({
  success: t.Literal(true),
  message: t.String(),
  stored: t.Number({ description: 'how many rules were made, changed or already as requested' }),
  deleted: t.Number({ description: 'how many rules were deleted' }),
})

export const CoverageResponse = t.Object(
  {
    slos: t.Array(t.Object({ id: t.Number(), name: t.String() })),
    groups: t.Array(
      t.Object({
        channel_id: t.Number(),
        channel_name: t.String(),
        channel_type: t.String(),
        channel_enabled: t.Boolean(),
        ...ruleSettingFields,
        by: OneOf(ruleSources, 'rule: by slo_id; selector; default: of a default channel, without a rule'),
        selector: RuleSelector,
        rule_ids: t.Array(t.Number(), { description: 'empty: a default channel' }),
        slo_ids: t.Array(t.Number(), {
          description:
            'the SLOs to which it applies now, without those with a more specific rule; empty for a rule of nines itself',
        }),
      }),
    ),
    uncovered: t.Array(t.Number(), { description: 'the ids of the SLOs of whose alerts no channel is notified' }),
  },
  { title: 'Coverage' },
)

const maxShortGroups = 200

/** True if its JSON is short enough to be written in one piece. */
export function fitsInOnePiece({ groups }: Coverage): boolean {
  const characters = groups.reduce((sum, group) => sum + charactersOf(group), 0)
  return groups.length <= maxShortGroups && characters <= maxUnstreamedCharacters
}

export async function presentCoverage(db: Db, coverage: Coverage): Promise<typeof CoverageResponse.static> {
  const { slos, groups, uncovered } = coverage
  return { slos, groups: await presentGroups(db, groups), uncovered }
}

/** Writes the coverage as pieces of JSON; the texts of a group are read just before they are written. */
export async function* writeCoverage(
  db: Db,
  { slos, groups, uncovered }: Coverage,
): AsyncGenerator<string | Uint8Array> {
  yield `${JSON.stringify({ slos, uncovered }).slice(0, -1)},"groups":[`
  let separator = ''
  for (const chunk of boundedByBytes(groups, charactersOf)) {
    const [short, long] = [chunk.filter((one) => !isLong(one)), chunk.filter(isLong)]
    for (const group of await presentGroups(db, short)) {
      yield `${separator}${JSON.stringify(group)}`
      separator = ','
    }
    const texts = await readRuleTextBytes(db, firstRulesOf(long))
    for (const group of long) {
      const bytes = texts.get(group.rule_ids[0] ?? 0)
      if (!bytes) continue
      yield `${separator}${JSON.stringify(presentGroup(group)).slice(0, -1)},`
      yield bytes
      yield '}'
      separator = ','
    }
  }
  yield ']}'
}

const charactersPerId = 7 // of an id and its comma in JSON, about

function charactersOf({ textCharacters, rule_ids, slo_ids }: RuleGroup): number {
  return textCharacters + charactersPerId * (rule_ids.length + slo_ids.length)
}

const isLong = ({ textCharacters }: RuleGroup) => textCharacters > 4096

const firstRulesOf = (groups: RuleGroup[]) => groups.flatMap(({ rule_ids }) => rule_ids[0] ?? [])

/** Groups as the API returns them, without those whose first rule has been deleted since. */
async function presentGroups(db: Db, groups: RuleGroup[]) {
  const texts = await readRuleTexts(db, firstRulesOf(groups))
  return groups.flatMap((group) => {
    const groupTexts = group.by === 'default' ? { subject: null, message: null } : texts.get(group.rule_ids[0] ?? 0)
    return groupTexts ? { ...presentGroup(group), ...groupTexts } : []
  })
}

function presentGroup(group: RuleGroup) {
  const { channel, textCharacters: _, cause: __, enabled, ...rest } = group
  return {
    ...rest,
    selector: presentSelector(group),
    enabled: enabled === 1,
    channel_name: channel.name,
    channel_type: channel.channel_type,
    channel_enabled: channel.enabled === 1,
  }
}
