import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import { getZone } from '../../db/organization-zones.ts'
import type {
  AlertRow,
  ChannelRow,
  NotificationEvent,
  NotificationRow,
  RuleRow,
  SloRow,
} from '../../db/tables/tables.ts'
import { AppError, assertNone, invalid, readAll } from '../../errors.ts'
import { assertRole, type Caller } from '../../http/signed-in.ts'
import { parseBurnRates } from '../../slos/arithmetic/burn-rates.ts'
import { type DescribedSlo, getActiveSlo } from '../../slos/store.ts'
import { alertDataOf } from '../alerts/draft.ts'
import { causeOfAlert, priorityOf, readAlertName } from '../alerts/alert-name.ts'
import { listOpenAlerts } from '../alerts/alert-store.ts'
import { causeOf } from '../causes.ts'
import { getUsableChannel } from '../channel-store.ts'
import { conditionDraft } from '../conditions/condition-draft.ts'
import { sloDataOf, linkTo } from '../notification-data.ts'
import { contentHash, type Draft, listKnownContents, queueNotifications } from '../outbox-store.ts'
import { type RuleRequest, sloIdMessage } from './rule-model.ts'
import { findState, getRule } from './rule-store.ts'
import { assertRule, putRule, retriesOf } from './rules.ts'
import { isSelected, readSelector } from './selectors.ts'
import type { Zone } from '../../zone.ts'
import { ruleTexts, renderTexts } from '../templates/templates.ts'

type Deps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'notifyDedupWindowSeconds'>
  publicUrl: () => string
  /** True if the organization is the instance's first, whose administrators run it. */
  isFirst: (organizationId: number) => Promise<boolean>
  /** Called after the commit. */
  onQueued: () => void
}

type Requested = { queued: NotificationRow } | { stored: RuleRow }

/**
 * Stores a rule, unless the request is `manual` or names a rule, and queues one notification, unless `notify` is false or the
 * rule has a selector. The notification of a stored rule only announces it, even if an alert is open: the next evaluation notifies of the alert. Throws
 * `not_found` for an SLO or channel that cannot be used, and `conflict` for a duplicate; nothing is stored then.
 */
export async function requestRule(deps: Deps, caller: Caller, request: RuleRequest): Promise<Requested> {
  const [selector] = readAll(
    () => readSelector(request.selector),
    () => assertRule(request, request.alert_type === 'manual' ? null : causeOf[request.alert_type]),
    () => assertRequest(request),
  )
  if (isOfAppliance(request)) assertRole(caller, 'admin')
  const runsNines = await deps.isFirst(caller.organizationId)
  const nowMs = deps.clock.now()
  const requested = await deps.db.groupCommit(async (trx): Promise<Requested> => {
    const slo = request.slo_id ? await getActiveSlo(trx, caller.organizationId, request.slo_id) : null
    const channel = await getUsableChannel(trx, caller.organizationId, request.channel_id)
    const rule = await ruleOf(trx, caller, channel, { ...request, selector }, slo, nowMs)
    if (rule && (request.notify === false || selector !== null)) return { stored: rule }
    const parts = { channel, rule, request, runsNines, zone: await getZone(trx, caller.organizationId), nowMs }
    const draft = slo ? await draftOf(deps, trx, { ...parts, slo }) : draftOfAppliance(deps, parts)
    await assertNew(deps, trx, draft, nowMs)
    await deps.db.quotas.assertRoom(trx, caller.organizationId, 'notifications', nowMs)
    const [queued] = await queueNotifications(trx, [draft], nowMs)
    if (!queued) throw new Error('must be a row for the draft')
    return { queued }
  })
  if ('queued' in requested) deps.onQueued()
  return requested
}

function assertRequest(request: RuleRequest): void {
  const { slo_id, alert_type, rule_id, notify, subject, message } = request
  const hasSelector = (request.selector ?? null) !== null
  const isStored = alert_type !== 'manual' && !rule_id
  const needsTexts = alert_type === 'manual' && !rule_id
  const isAboutNines = isOfAppliance(request)
  const absentMessage = 'cannot be sent with the alert type appliance_condition'
  const requiredMessage = 'is required with the alert type manual'
  const constraints = [
    { field: 'slo_id', message: absentMessage, isBroken: isAboutNines && slo_id },
    { field: 'rule_id', message: absentMessage, isBroken: isAboutNines && rule_id },
    { field: 'selector', message: absentMessage, isBroken: isAboutNines && hasSelector },
    { field: 'selector', message: 'cannot be sent with slo_id', isBroken: slo_id && hasSelector },
    {
      field: 'selector',
      message: 'cannot be sent when no rule is stored',
      isBroken: !isAboutNines && hasSelector && !isStored,
    },
    {
      field: 'slo_id',
      message: `is required: ${sloIdMessage}, or a selector in its place`,
      isBroken: !isAboutNines && !slo_id && !hasSelector,
    },
    { field: 'notify', message: 'cannot be true with a selector', isBroken: hasSelector && notify === true },
    { field: 'notify', message: 'must be true where no rule is stored', isBroken: notify === false && !isStored },
    { field: 'subject', message: requiredMessage, isBroken: needsTexts && !subject },
    { field: 'message', message: requiredMessage, isBroken: needsTexts && !message },
  ]
  assertNone(constraints.filter(({ isBroken }) => isBroken).map(({ field, message }) => ({ field, message })))
}

/** True for a rule on conditions of nines itself. */
function isOfAppliance({ alert_type }: RuleRequest): boolean {
  return alert_type === 'appliance_condition'
}

async function ruleOf(
  trx: Db,
  caller: Caller,
  channel: ChannelRow,
  request: Omit<RuleRequest, 'selector'> & { selector: string | null },
  slo: SloRow | null,
  nowMs: number,
): Promise<RuleRow | null> {
  const { alert_type, rule_id } = request
  if (rule_id) {
    const rule = await getRule(trx, channel.organization_id, rule_id)
    const { selector } = rule
    const isOfSlo = selector === null || !slo ? rule.slo_id === request.slo_id : isSelected(slo, { ...rule, selector })
    if (!isOfSlo) throw invalid('rule_id', 'must be a rule of the same SLO')
    if (rule.channel_id !== channel.id) throw invalid('rule_id', 'must be a rule of the same channel')
    return rule
  }
  return alert_type === 'manual' ? null : putRule(trx, caller, channel, { ...request, alert_type }, nowMs)
}

type Parts = {
  channel: ChannelRow
  rule: RuleRow | null
  request: RuleRequest
  runsNines: boolean
  zone: Zone
  nowMs: number
}

function draftOfAppliance({ publicUrl }: Deps, { channel, rule, request, runsNines, zone, nowMs }: Parts): Draft {
  if (!rule) throw new Error('must be the rule that was stored')
  const { max_retries = rule.max_retries } = request
  const recipient = { ...rule, rule_id: rule.id, channel_type: channel.channel_type, max_retries }
  return conditionDraft(recipient, null, { publicUrl: publicUrl(), runsNines, zone, nowMs })
}

async function draftOf({ publicUrl }: Deps, trx: Db, parts: Parts & { slo: DescribedSlo }): Promise<Draft> {
  const { slo, channel, rule, request, zone, nowMs } = parts
  const { alert_type } = request
  const informsOfRule = rule !== null && !request.rule_id
  const templates = {
    subject: request.subject ?? rule?.subject ?? null,
    message: request.message ?? rule?.message ?? null,
  }
  const state = (await findState(trx, slo.id, slo.revision)) ?? null
  const mayAlert = alert_type !== 'manual' && !informsOfRule
  const alert = mayAlert ? mostSevere(request, await listOpenAlerts(trx, [slo.id])) : null
  const rulePriority = request.priority ?? rule?.priority ?? (alert_type === 'manual' ? 'medium' : 'auto')
  const priority = alert ? priorityOf(rulePriority, alert) : rulePriority === 'auto' ? 'medium' : rulePriority
  const { max_retries = rule?.max_retries ?? retriesOf(priority, channel) } = request
  const burnRates = state === null ? [] : parseBurnRates(state)
  const data = sloDataOf(slo, state, alert && alertDataOf(burnRates, alert))
  const event = alert ? eventOf(alert_type) : 'message' // without an alert, no recovery would close an incident later
  const link = linkTo(publicUrl(), slo.id)
  const templateData = { event, alertType: alert_type, priority, sloId: slo.id, slo: data, link, zone, nowMs }
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
    max_retries,
    ...(informsOfRule ? ruleTexts(rule, templateData) : renderTexts(templates, templateData)),
    data,
    status: 'pending',
  }
}

async function assertNew({ config }: Deps, trx: Db, draft: Draft, nowMs: number): Promise<void> {
  const sinceMs = nowMs - config.notifyDedupWindowSeconds * 1000
  const recentHashes = await listKnownContents(trx, [contentHash(draft)], sinceMs)
  if (recentHashes.size > 0) throw new AppError('conflict', 'Duplicate notification')
}

/** Event of the notification. A recovery closes the incident that the alert opened at an incident tool. */
function eventOf(alertType: RuleRequest['alert_type']): NotificationEvent {
  return alertType !== 'manual' && causeOf[alertType] === 'recovery' ? 'recovery' : 'alert'
}

/** Most severe open alert that a rule for this request would select: the fastest tier, the lowest threshold. */
function mostSevere({ alert_type, severity }: RuleRequest, open: AlertRow[]): AlertRow | null {
  if (alert_type === 'manual') return null
  const cause = causeOf[alert_type]
  const selected = open.filter((alert) => {
    if (cause === 'recovery') return readAlertName(alert.name).kind === 'status'
    return causeOfAlert(alert) === cause && (!severity || alert.severity === severity)
  })
  return selected.toSorted((one, other) => rankOf(one) - rankOf(other))[0] ?? null
}

function rankOf({ name }: AlertRow): number {
  const alert = readAlertName(name)
  if (alert.kind === 'burn_rate') return alert.longSeconds
  return alert.kind === 'budget' ? alert.threshold : 0
}
