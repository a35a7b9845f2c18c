import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type {
  AlertRow,
  ChannelRow,
  NotificationEvent,
  NotificationRow,
  RuleRow,
  SloRow,
} from '../../db/tables/tables.ts'
import { AppError, assertNone, invalid } from '../../errors.ts'
import { assertRole, type Caller } from '../../http/signed-in.ts'
import { parseBurnRates } from '../../slos/arithmetic/burn-rates.ts'
import { getActiveSlo } from '../../slos/store.ts'
import { alertFactsOf } from '../alerts/draft.ts'
import { causeOfAlert, readAlertName } from '../alerts/alert-name.ts'
import { listOpenAlerts } from '../alerts/alert-store.ts'
import { causeOf } from '../causes.ts'
import { getUsableChannel } from '../channel-store.ts'
import { conditionDraft } from '../conditions/condition-draft.ts'
import { factsOf, linkTo } from '../facts.ts'
import { contentHash, type Draft, listKnownContents, queueNotifications } from '../outbox-store.ts'
import { type RuleRequest, sloIdWanted } from './rule-model.ts'
import { findState, getRule } from './rule-store.ts'
import { assertRule, putRule, retriesOf } from './rules.ts'
import { ruleWords } from '../templates/rule-templates.ts'
import { write } from '../templates/templates.ts'

type Deps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'notifyDedupWindowSeconds'>
  publicUrl: () => string
  /** Whether an organization is the instance's first, whose administrators run it. */
  isFirst: (organizationId: number) => Promise<boolean>
  /** After the commit. */
  onQueued: () => void
}

type Requested = { queued: NotificationRow } | { stored: RuleRow }

/**
 * Stores a standing rule, unless the request is `manual` or names a rule, and queues one notification, unless `notify` is
 * false: of a rule that was stored it informs, also where an alert is open, of which the next evaluation notifies. Throws `not_found` for an SLO or channel that cannot be used, `conflict` for a duplicate; then nothing is stored.
 */
export async function requestRule(deps: Deps, caller: Caller, wanted: RuleRequest): Promise<Requested> {
  assertRequest(wanted)
  if (isOfAppliance(wanted)) await assertOperator(deps, caller)
  const nowMs = deps.clock.now()
  const requested = await deps.db.groupCommit(async (trx): Promise<Requested> => {
    const slo = wanted.slo_id ? await getActiveSlo(trx, caller.organizationId, wanted.slo_id) : null
    const channel = await getUsableChannel(trx, caller.organizationId, wanted.channel_id)
    const rule = await ruleOf(trx, caller, channel, wanted, nowMs)
    if (rule && wanted.notify === false) return { stored: rule }
    const material = { channel, rule, wanted, nowMs }
    const draft = slo ? await draftOf(deps, trx, { ...material, slo }) : draftOfAppliance(deps, material)
    await assertNew(deps, trx, draft, nowMs)
    await deps.db.quotas.assertRoom(trx, caller.organizationId, 'notifications', nowMs)
    const [queued] = await queueNotifications(trx, [draft], nowMs)
    if (!queued) throw new Error('must be a row for the draft')
    return { queued }
  })
  if ('queued' in requested) deps.onQueued()
  return requested
}

function assertRequest(wanted: RuleRequest): void {
  const { slo_id, alert_type, rule_id, notify, subject, message } = wanted
  assertRule(wanted, alert_type === 'manual' ? null : causeOf[alert_type])
  const isStanding = alert_type !== 'manual' && !rule_id
  const isBare = alert_type === 'manual' && !rule_id
  const ofAppliance = isOfAppliance(wanted)
  const absent = 'must be null or absent with appliance_condition'
  assertNone([
    ...(ofAppliance && slo_id ? [{ field: 'slo_id', message: absent }] : []),
    ...(ofAppliance && rule_id ? [{ field: 'rule_id', message: absent }] : []),
    ...(!ofAppliance && !slo_id ? [{ field: 'slo_id', message: `must be ${sloIdWanted}` }] : []),
    ...(notify === false && !isStanding ? [{ field: 'notify', message: 'must be true where no rule is stored' }] : []),
    ...(isBare && !subject ? [{ field: 'subject', message: 'must be given with manual' }] : []),
    ...(isBare && !message ? [{ field: 'message', message: 'must be given with manual' }] : []),
  ])
}

function isOfAppliance({ alert_type }: RuleRequest): boolean {
  return alert_type === 'appliance_condition'
}

async function assertOperator({ isFirst }: Deps, caller: Caller): Promise<void> {
  assertRole(caller, 'admin')
  if (await isFirst(caller.organizationId)) return
  const details =
    'appliance_condition must be asked for by an administrator of the first organization, which runs nines'
  throw new AppError('forbidden', 'Insufficient permissions', { details })
}

async function ruleOf(
  trx: Db,
  caller: Caller,
  channel: ChannelRow,
  wanted: RuleRequest,
  nowMs: number,
): Promise<RuleRow | null> {
  const { alert_type, rule_id } = wanted
  if (rule_id) {
    const rule = await getRule(trx, channel.organization_id, rule_id)
    if (rule.slo_id !== wanted.slo_id) throw invalid('rule_id', 'must be a rule of the same SLO')
    if (rule.channel_id !== channel.id) throw invalid('rule_id', 'must be a rule of the same channel')
    return rule
  }
  return alert_type === 'manual' ? null : putRule(trx, caller, channel, { ...wanted, alert_type }, nowMs)
}

type Material = { channel: ChannelRow; rule: RuleRow | null; wanted: RuleRequest; nowMs: number }

function draftOfAppliance({ publicUrl }: Deps, { channel, rule, wanted, nowMs }: Material): Draft {
  if (!rule) throw new Error('must be the rule that was stored')
  return {
    ...conditionDraft({ ...rule, rule_id: rule.id, channel_type: channel.channel_type }, null, {
      publicUrl: publicUrl(),
      nowMs,
    }),
    max_retries: wanted.max_retries ?? rule.max_retries,
  }
}

async function draftOf({ publicUrl }: Deps, trx: Db, material: Material & { slo: SloRow }): Promise<Draft> {
  const { slo, channel, rule, wanted, nowMs } = material
  const { alert_type } = wanted
  const isFirst = rule !== null && !wanted.rule_id
  const words = { subject: wanted.subject ?? rule?.subject ?? null, message: wanted.message ?? rule?.message ?? null }
  const state = (await findState(trx, slo.id, slo.revision)) ?? null
  const alert = isFirst ? null : meantBy(wanted, await listOpenAlerts(trx, [slo.id]))
  const burnRates = state === null ? [] : parseBurnRates(state)
  const facts = factsOf(slo, state, alert && alertFactsOf(burnRates, alert))
  const event = alert ? eventOf(alert_type) : 'message' // no alert: nothing that a recovery could close later
  const priority = wanted.priority ?? rule?.priority ?? 'medium'
  const link = linkTo(publicUrl(), slo.id)
  const story = { event, alertType: alert_type, priority, sloId: slo.id, facts, link, nowMs }
  return {
    organization_id: slo.organization_id,
    slo_id: slo.id,
    rule_id: rule?.id ?? null,
    channel_id: channel.id,
    alert_id: alert?.id ?? null,
    channel_type: channel.channel_type,
    event,
    alert_type,
    priority,
    max_retries: wanted.max_retries ?? rule?.max_retries ?? retriesOf(priority, channel),
    ...(isFirst ? ruleWords(rule, story) : write(words, story)),
    facts,
    status: 'pending',
  }
}

async function assertNew({ config }: Deps, trx: Db, draft: Draft, nowMs: number): Promise<void> {
  const sinceMs = nowMs - config.notifyDedupWindowSeconds * 1000
  const known = await listKnownContents(trx, [contentHash(draft)], sinceMs)
  if (known.size > 0) throw new AppError('conflict', 'Duplicate notification')
}

/** A recovery closes what the alert opened at an incident tool. */
function eventOf(alertType: RuleRequest['alert_type']): NotificationEvent {
  return alertType !== 'manual' && causeOf[alertType] === 'recovery' ? 'recovery' : 'alert'
}

/** Of the open alerts, the gravest that a rule for this would tell: the fastest tier, the lowest threshold. */
function meantBy({ alert_type, severity }: RuleRequest, open: AlertRow[]): AlertRow | null {
  if (alert_type === 'manual') return null
  const cause = causeOf[alert_type]
  const meant = open.filter((alert) => {
    if (cause === 'recovery') return readAlertName(alert.name).kind === 'status'
    return causeOfAlert(alert) === cause && (!severity || alert.severity === severity)
  })
  return meant.toSorted((one, other) => graveness(one) - graveness(other))[0] ?? null
}

function graveness({ name }: AlertRow): number {
  const alert = readAlertName(name)
  if (alert.kind === 'burn_rate') return alert.longSeconds
  return alert.kind === 'budget' ? alert.threshold : 0
}
