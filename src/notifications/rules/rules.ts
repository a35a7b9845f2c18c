import type { Clock } from '../../clock.ts'
import { auditWriter, changedFields } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import { type Cause, type ChannelRow, flag, type RulePriority, type RuleRow } from '../../db/tables/tables.ts'
import { AppError, invalid, readAll } from '../../errors.ts'
import { assertRole, type Caller } from '../../http/signed-in.ts'
import { type AlertType, causeOf, alertTypesOf } from '../causes.ts'
import type { RuleRequest, RuleUpdate } from './rule-model.ts'
import { countSelectorRules, deleteRule, findRule, getRule, insertRule, updateRule } from './rule-store.ts'
import { assertSelectable, parseSelector, readSelector } from './selectors.ts'
import { insertRules, listChanges, updateRules } from './set-rules-store.ts'
import { assertTemplate } from '../templates/templates.ts'

type Deps = { db: Database; clock: Clock }
type Fields = Omit<RuleUpdate, 'alert_type' | 'selector'>
/** Request for a rule to store, with the selector as stored. */
type StoredRuleRequest = Omit<RuleRequest, 'selector'> & { alert_type: AlertType; selector: string | null }

/** Retries of notifications that are or may be urgent: about half an hour, whatever the channel's setting. */
const urgentRetries = 12

/** Default of `max_retries` for a rule or notification of this priority. */
export function retriesOf(priority: RulePriority, channel: Pick<ChannelRow, 'max_retries'>): number {
  return priority === 'low' || priority === 'medium' ? channel.max_retries : urgentRetries
}

/** Throws `invalid` for unknown placeholders, and for texts or a severity that the cause does not allow. */
export function assertRule({ subject, message, severity }: Fields, cause: Cause | null): void {
  const assertText = (field: string, text: string) => {
    assertTemplate(field, text)
    if (cause === 'appliance_condition')
      throw invalid(field, 'cannot be sent with the alert type appliance_condition, which has texts of its own')
  }
  readAll(
    () => subject && assertText('subject', subject),
    () => message && assertText('message', message),
    () => {
      if (severity && cause !== 'burn_rate_too_fast')
        throw invalid('severity', 'needs the alert type burn_rate_too_fast')
    },
  )
}

/** Maximum number of rules with selectors of an organization: each is compared with each SLO. */
const maxSelectorRules = 500

/** Stores a rule, or changes the given fields of the existing one for this SLO or selector, channel and cause. */
export async function putRule(
  trx: Db,
  caller: Caller,
  channel: ChannelRow,
  requested: StoredRuleRequest,
  nowMs: number,
): Promise<RuleRow> {
  const { slo_id = null, selector, alert_type, channel_id, rule_id: _, notify: __, ...fields } = requested
  const key = { slo_id, selector, channel_id, cause: causeOf[alert_type] }
  const columns = { alert_type, ...columnsOf(fields) }
  if (selector !== null) await assertSelectable(trx, caller.organizationId, selector)
  const stored = await findRule(trx, key)
  if (stored) return storeChange(trx, caller, stored, columns, nowMs)
  if (selector !== null) await assertSelectorLimit(trx, caller.organizationId)
  const rule = await insertRule(trx, { ...newRule(channel, fields.priority, nowMs), ...key, ...columns })
  await audit(trx, caller, 'rule_created', rule, {}, nowMs)
  return rule
}

async function assertSelectorLimit(trx: Db, organizationId: number): Promise<void> {
  if ((await countSelectorRules(trx, organizationId)) < maxSelectorRules) return
  const details = `An organization may have at most ${maxSelectorRules} notification rules with a selector`
  throw new AppError('conflict', 'Too many notification rules with a selector', { details })
}

type RulesRequest = Fields & { channel_id: number; alert_type: AlertType }

/**
 * Stores or changes rules like `putRule`, for many SLOs, in a fixed number of statements plus the audit log. Returns the number of
 * rules that are new or changed.
 */
export async function putRules(
  trx: Db,
  caller: Caller,
  channel: ChannelRow,
  { alert_type, channel_id, ...fields }: RulesRequest,
  sloIds: readonly number[],
  nowMs: number,
): Promise<number> {
  const cause = causeOf[alert_type]
  const columns = { alert_type, ...columnsOf(fields) }
  const existing = await listChanges(trx, { channelId: channel_id, cause, sloIds }, columns)
  const existingIds = new Set(existing.map(({ slo_id }) => slo_id))
  const row = { ...newRule(channel, fields.priority, nowMs), ...columns, channel_id, cause }
  const missing = sloIds.filter((id) => !existingIds.has(id))
  const inserted = missing.length > 0 ? await insertRules(trx, row, missing) : []
  const ids = existing.map(({ id }) => id)
  await updateRules(trx, ids, { ...columns, updated_at: nowMs })
  const key = { channel_id, alert_type, selector: null }
  for (const rule of inserted) await audit(trx, caller, 'rule_created', { ...rule, ...key }, {}, nowMs)
  const changedRules = existing.filter(({ changed }) => changed.length > 0)
  for (const { changed, ...rule } of changedRules)
    await audit(trx, caller, 'rule_changed', { ...rule, ...key }, { changed }, nowMs)
  return inserted.length + changedRules.length
}

/** New rule of a channel with default settings. */
function newRule(channel: ChannelRow, priority: RulePriority = 'auto', nowMs: number) {
  const max_retries = retriesOf(priority, channel)
  const defaults = { priority, max_retries, severity: null, subject: null, message: null, min_interval_seconds: 0 }
  const { organization_id } = channel
  return { ...defaults, organization_id, enabled: flag(true), created_at: nowMs, updated_at: nowMs }
}

/** Changes only the given fields of a rule. */
export async function changeRule(
  { db, clock }: Deps,
  caller: Caller,
  id: number,
  { alert_type, selector: sentSelector, ...fields }: RuleUpdate,
): Promise<RuleRow> {
  const selector = readSelector(sentSelector)
  const columns = {
    ...(alert_type !== undefined && { alert_type }),
    ...(selector !== null && { selector }),
    ...columnsOf(fields),
  }
  if (Object.keys(columns).length === 0)
    throw invalid('body', 'must have at least one known field of a notification rule')
  return db.write.transaction().execute(async (trx) => {
    const stored = await getRule(trx, caller.organizationId, id)
    assertMayChange(caller, stored)
    const { cause } = stored
    assertRule(fields, cause)
    if (alert_type !== undefined && (alert_type === 'manual' || causeOf[alert_type] !== cause)) {
      throw invalid('alert_type', `must be ${alertTypesOf(cause).join(' or ')}, or another rule`)
    }
    if (sentSelector === null && stored.selector !== null)
      throw invalid('selector', 'cannot be null: a rule with a selector keeps one')
    if (selector !== null) await assertSelectorChange(trx, stored, selector)
    return storeChange(trx, caller, stored, columns, clock.now())
  })
}

export async function removeRule({ db, clock }: Deps, caller: Caller, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const rule = await getRule(trx, caller.organizationId, id)
    assertMayChange(caller, rule)
    await deleteAndRecord(trx, caller, rule, clock.now())
  })
}

/** Deletes a rule, and records it in the audit log. */
export async function deleteAndRecord(trx: Db, caller: Caller, rule: RuleRow, nowMs: number): Promise<void> {
  await deleteRule(trx, rule.organization_id, rule.id)
  await audit(trx, caller, 'rule_deleted', rule, {}, nowMs)
}

/** Throws if the rule has no selector to change, or another rule of its channel and cause has the new one. */
async function assertSelectorChange(trx: Db, stored: RuleRow, selector: string): Promise<void> {
  if (stored.selector === null) {
    throw invalid('selector', 'cannot be sent: a rule by slo_id stays with its SLO', { code: 'unexpected' })
  }
  await assertSelectable(trx, stored.organization_id, selector)
  const other = await findRule(trx, { ...stored, selector })
  if (other && other.id !== stored.id) {
    const problems = [{ field: 'selector', message: `must differ from that of rule ${other.id}` }]
    throw new AppError('conflict', 'Another notification rule has this selector', { problems })
  }
}

/** Throws unless the caller may change the rule. Rules about nines itself are for administrators. */
function assertMayChange(caller: Caller, { slo_id, selector }: RuleRow): void {
  if (slo_id === null && selector === null) assertRole(caller, 'admin')
}

async function storeChange(
  trx: Db,
  caller: Caller,
  stored: RuleRow,
  columns: Partial<RuleRow>,
  nowMs: number,
): Promise<RuleRow> {
  const rule = await updateRule(trx, stored.organization_id, stored.id, { ...columns, updated_at: nowMs })
  const changed = changedFields<RuleRow>(stored, columns)
  if (changed.length > 0) await audit(trx, caller, 'rule_changed', rule, { changed }, nowMs)
  return rule
}

type RecordedRule = Pick<RuleRow, 'id' | 'slo_id' | 'selector' | 'channel_id' | 'alert_type'>

const audit = auditWriter(({ id, slo_id, selector, channel_id, alert_type }: RecordedRule) => ({
  rule_id: id,
  slo_id,
  ...(selector !== null && { selector: parseSelector(selector) }),
  channel_id,
  alert_type,
}))

/** Fields as column values. */
function columnsOf({ enabled, ...fields }: Fields) {
  return { ...fields, ...(enabled !== undefined && { enabled: flag(enabled) }) }
}
