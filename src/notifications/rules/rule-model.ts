import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { NotificationRow, RuleRow } from '../../db/tables/tables.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { Anything, BodyId, OneOf, QueryId, Text, WholeNumber } from '../../http/schemas.ts'
import { alertTypes, ruleAlertTypes } from '../causes.ts'
import { healthOf } from '../channel-model.ts'
import type { ListedRuleRow } from './rule-store.ts'
import { parseSelector } from './selectors.ts'

/** Selector of the API: exactly one of its fields is present. */
const SelectorFields = t.Object(
  {
    all: t.Optional(t.Literal(true)),
    labels: t.Optional(t.Record(t.String(), t.String(), { description: 'the SLO has all of them' })),
    team_id: t.Optional(t.Number({ description: 'the SLO belongs to this team' })),
  },
  { description: 'SLOs of the rule, also those created later: one of `all`, `labels` and `team_id`' },
)

const priorities = ['auto', 'low', 'medium', 'high', 'critical'] as const

const optionalFields = {
  selector: t.Optional(Anything(t.Nullable(SelectorFields))), // read by readSelector
  priority: t.Optional(OneOf(priorities)),
  subject: t.Optional(t.Nullable(Text({ max: 500 }), { description: '1 to 500 characters on one line, or null' })),
  message: t.Optional(
    t.Nullable(Text({ max: 20_000, lines: 'many' }), { description: '1 to 20000 characters, or null' }),
  ),
  max_retries: t.Optional(WholeNumber({ min: 0, max: 100 })),
  min_interval_seconds: t.Optional(WholeNumber({ min: 0, max: 604_800 })),
  enabled: t.Optional(t.Boolean({ description: 'true or false' })),
  severity: t.Optional(t.Nullable(OneOf(['page', 'ticket']), { description: 'page, ticket or null' })),
}

export const sloIdMessage = 'the SLO id, a whole number from 1'

export const RuleRequest = t.Object(
  {
    slo_id: t.Optional(
      t.Nullable(BodyId('SLO'), {
        description: `${sloIdMessage}; null or absent with a selector and with appliance_condition`,
      }),
    ),
    channel_id: BodyId('notification channel'),
    rule_id: t.Optional(t.Nullable(BodyId('notification rule'))),
    alert_type: OneOf(alertTypes),
    notify: t.Optional(t.Boolean({ description: 'true or false' })),
    ...optionalFields,
  },
  {
    title: 'RuleRequest',
    examples: [
      {
        slo_id: 1,
        channel_id: 1,
        alert_type: 'burn_rate_too_fast',
        severity: 'page',
        priority: 'critical',
        notify: false,
      },
    ],
  },
)

/** Changes to a rule; its SLO, channel and cause cannot change, its selector can. */
export const RuleUpdate = t.Object(
  { alert_type: t.Optional(OneOf(alertTypes)), ...optionalFields },
  { title: 'RuleUpdate', examples: [{ min_interval_seconds: 900 }] },
)

export type RuleRequest = Static<typeof RuleRequest>
export type RuleUpdate = Static<typeof RuleUpdate>

export const RuleListQuery = t.Object({
  slo_id: t.Optional(QueryId),
  channel_id: t.Optional(QueryId),
  alert_type: t.Optional(OneOf(ruleAlertTypes)),
  ...PageQuery,
})

const SloId = t.Nullable(
  t.Number({ description: 'null: the rule has a selector, or is for conditions of nines itself' }),
)

export const RuleSelector = t.Nullable(SelectorFields, {
  description: 'null: the rule has a slo_id, or is for conditions of nines itself',
})

/** Fields of a rule without its SLO and channel. `subject`, `message` null: the default texts. */
export const ruleSettingFields = {
  alert_type: t.String(),
  severity: t.Nullable(t.String()),
  priority: t.String(),
  subject: t.Nullable(t.String()),
  message: t.Nullable(t.String()),
  max_retries: t.Number(),
  min_interval_seconds: t.Number(),
  enabled: t.Boolean(),
}

export const Rule = t.Object(
  {
    id: t.Number(),
    slo_id: SloId,
    selector: RuleSelector,
    channel_id: t.Number(),
    ...ruleSettingFields,
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'Rule' },
)

export const RuleAnswer = t.Object({ success: t.Literal(true), data: Rule })
export const RuleChanged = t.Object({ success: t.Literal(true), message: t.String(), data: Rule })
export const RuleDeleted = t.Object({ success: t.Literal(true), message: t.String() })

const ListedRule = t.Composite(
  [
    Rule,
    t.Object({
      channel: t.Object({
        name: t.String(),
        channel_type: t.String(),
        enabled: t.Boolean(),
        health: OneOf(['healthy', 'unhealthy', 'untested']),
        last_error: t.Nullable(t.String()),
      }),
    }),
  ],
  { title: 'ListedRule' },
)

/** List of rules. `count`: number of rules on this page. */
export const RuleList = t.Object(
  {
    success: t.Literal(true),
    count: t.Number(),
    ...PageFields,
    data: t.Array(ListedRule),
  },
  { title: 'RuleList' },
)

/** Response to a rule request: the queued notification; or, if `status` is `stored`, the rule alone, which has no event. */
export const RuleRequestAnswer = t.Object({
  success: t.Literal(true),
  message: t.String(),
  data: t.Object({
    id: t.Number(),
    slo_id: SloId,
    selector: t.Optional(RuleSelector),
    rule_id: t.Nullable(t.Number()),
    channel_id: t.Number(),
    status: t.String(),
    event: t.Optional(t.String()),
    alert_type: t.String(),
    priority: t.String(),
    subject: t.Nullable(t.String()),
    message: t.Nullable(t.String()),
    max_retries: t.Number(),
    created_at: t.String(),
    evaluated_at: t.String(),
  }),
})

/** Rule as the API returns it. The response schema drops columns that are not API fields. */
export function presentRule(row: RuleRow) {
  return {
    ...row,
    selector: presentSelector(row),
    enabled: row.enabled === 1,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

export function presentSelector({ selector }: Pick<RuleRow, 'selector'>): Static<typeof RuleSelector> {
  return selector === null ? null : parseSelector(selector)
}

export function presentListed(row: ListedRuleRow): Static<typeof ListedRule> {
  const { channel_name: name, channel_type, channel_enabled, channel_failures: failures, channel_error } = row
  const health = healthOf({ failures, last_success_at: row.channel_success_at })
  const channel = { name, channel_type, enabled: channel_enabled === 1, health, last_error: channel_error }
  return { ...presentRule(row), channel }
}

export function presentStored(row: RuleRow) {
  const [created_at, evaluated_at] = [isoTime(row.created_at), isoTime(row.updated_at)]
  return { ...row, selector: presentSelector(row), rule_id: row.id, status: 'stored', created_at, evaluated_at }
}

export function presentQueued(row: NotificationRow) {
  const at = isoTime(row.created_at)
  return { ...row, created_at: at, evaluated_at: at }
}
