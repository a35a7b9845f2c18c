import { type Static, t } from 'elysia'
import { BodyId, OneOf } from '../../http/schemas.ts'
import type { Coverage } from './coverage.ts'
import { RuleRequest, whatRuleSays } from './rule-model.ts'

const maxAtOnce = 2000
const SloIds = t.Array(BodyId('SLO'), { maxItems: maxAtOnce, description: `at most ${maxAtOnce} SLO ids` })

/** The kinds of alerts of an SLO. */
const kinds = [
  'violation',
  'warning',
  'recovery',
  'error_budget_low',
  'error_budget_exhausted',
  'burn_rate_too_fast',
] as const

const { priority, subject, message, max_retries, min_interval_seconds, enabled, severity } = RuleRequest.properties

export const RuleSetting = t.Object(
  {
    channel_id: BodyId('notification channel'),
    alert_type: OneOf(kinds),
    slo_ids: SloIds,
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

export type RuleSetting = Static<typeof RuleSetting>

export const RulesSet = t.Object({
  success: t.Literal(true),
  message: t.String(),
  stored: t.Number({ description: 'how many rules were made or changed' }),
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
        ...whatRuleSays,
        rule_ids: t.Array(t.Number()),
        slo_ids: t.Array(t.Number(), { description: 'empty: a rule of nines itself' }),
      }),
    ),
    uncovered: t.Array(t.Number(), { description: 'the ids of the SLOs of whose alerts no channel is notified' }),
  },
  { title: 'Coverage' },
)

export function presentCoverage({ slos, groups, uncovered }: Coverage): typeof CoverageResponse.static {
  const presented = groups.map(({ enabled, channel_enabled, ...group }) => ({
    ...group,
    enabled: enabled === 1,
    channel_enabled: channel_enabled === 1,
  }))
  return { slos, groups: presented, uncovered }
}
