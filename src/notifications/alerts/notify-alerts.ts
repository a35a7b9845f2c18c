import type { Db } from '../../db/open.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { contentHash, type Draft, listKnownContents } from '../outbox-store.ts'
import { listSilencesInForce } from '../silences/silence-store.ts'
import { isSilenced } from '../silences/silenced.ts'
import { causeOfAlert, readAlertName } from './alert-name.ts'
import type { Standing } from './alert-states.ts'
import { listEndedBeside, listLastTold, type RuleOfChannel, type SentNotification } from './alert-store.ts'
import { isInhibited } from './inhibited.ts'
import { draftOf, type Known, type RaiseDeps } from './draft.ts'

/** An open alert and a rule that selects it. */
type Pair = { standing: Standing; alert: AlertRow; rule: RuleOfChannel }

/** How long a slower tier may look back to a faster one: its short window, which is below three days. */
const recentSeconds = 72 * 3600

/** What failed for good is told again while its alert goes on: the receiver may be back, or its configuration mended. */
const againAfterMs = 30 * 60_000

/**
 * Of each open alert, one notification by each rule that selects it and has not told it yet. What is held back today, by a
 * silence, a graver alert, the rule's own interval or as a duplicate of what was just sent, is told at a later evaluation if it still holds then.
 */
export async function notifyOfAlerts(
  deps: RaiseDeps,
  trx: Db,
  { standings, rules, tellings }: Known,
): Promise<Draft[]> {
  const rulesOf = Map.groupBy(rules, ({ slo_id }) => slo_id)
  const pairs = standings.flatMap((standing) => pairsOf(standing, rulesOf.get(standing.slo.id) ?? []))
  const nowMs = deps.clock.now()
  const told = new Set(tellings.filter((telling) => isTold(telling, nowMs)).map(idOfTelling))
  const untold = pairs.filter((pair) => !told.has(idOf(pair)))
  if (untold.length === 0) return []
  const silences = await listSilencesInForce(trx, nowMs)
  const silenced = new Set(standings.filter(({ slo }) => isSilenced(slo, silences)))
  const heard = untold.filter(({ standing }) => !silenced.has(standing))
  const due = await withoutInhibited(trx, heard, rulesOf)
  const last = await listLastTold(
    trx,
    due.map(({ rule }) => rule.id),
  )
  const written = due.map((pair) => ({ pair, draft: toldBy(deps, pair, nowMs) }))
  const known = await listKnownContents(
    trx,
    written.map(({ draft }) => contentHash(draft)),
    nowMs - deps.config.notifyDedupWindowSeconds * 1000,
  )
  const throttled = new Set(tellings.filter(({ status }) => status === 'throttled').map(idOfTelling))
  return written.flatMap(({ pair, draft }): Draft[] => {
    const lastMs = last.get(pair.rule.id) ?? -Infinity
    const isEarly = lastMs <= nowMs && nowMs < lastMs + pair.rule.min_interval_seconds * 1000 // a clock may be set back
    if (!isEarly && !known.has(contentHash(draft))) return [draft]
    return throttled.has(idOf(pair)) ? [] : [{ ...draft, status: 'throttled' }] // once is enough for the history
  })
}

/** Whether a notification of the beginning of an alert needs no other one, for now. */
export function isTold({ status, updated_at }: SentNotification, nowMs: number): boolean {
  return status !== 'throttled' && (status !== 'failed' || nowMs < updated_at + againAfterMs)
}

function pairsOf(standing: Standing, rules: RuleOfChannel[]): Pair[] {
  return standing.open.flatMap((alert) =>
    rules.filter((rule) => selects(rule, alert)).map((rule) => ({ standing, alert, rule })),
  )
}

function selects({ cause, severity }: RuleOfChannel, alert: AlertRow): boolean {
  return cause === causeOfAlert(alert) && (severity === null || severity === alert.severity)
}

/**
 * A tier is outranked by any other that somebody is told of, a threshold only by one that the same channel is told of:
 * who asks for 25 % and not for 0 % hears of it when both are passed at once.
 */
async function withoutInhibited(trx: Db, pairs: Pair[], rulesOf: Map<number | null, RuleOfChannel[]>): Promise<Pair[]> {
  const ranked = pairs.filter(({ alert }) => alert.name !== 'status')
  const sloIds = [...new Set(ranked.map(({ standing }) => standing.slo.id))]
  const endedOf = Map.groupBy(
    sloIds.length > 0 ? await listEndedBeside(trx, sloIds, recentSeconds) : [],
    ({ slo_id }) => slo_id,
  )
  return pairs.filter(({ standing: { slo, evaluation, open }, alert, rule }) => {
    const isOfChannel = ({ channel_id }: RuleOfChannel) => channel_id === rule.channel_id
    const isTier = readAlertName(alert.name).kind === 'burn_rate'
    const listening = (rulesOf.get(slo.id) ?? []).filter((other) => isTier || isOfChannel(other))
    const others = [...open, ...(endedOf.get(slo.id) ?? [])].filter((other) =>
      listening.some((another) => selects(another, other)),
    )
    return !isInhibited(alert, others, evaluation.atSeconds)
  })
}

function toldBy({ publicUrl }: RaiseDeps, { standing, alert, rule }: Pair, nowMs: number): Draft {
  const { id, channel_id, channel_type, alert_type, priority, max_retries } = rule
  const envelope = { rule_id: id, channel_id, channel_type, event: 'alert', alert_type, priority, max_retries } as const
  return draftOf({ publicUrl, nowMs }, standing, alert, envelope, rule)
}

function idOf({ alert, rule }: Pair): string {
  return `${alert.id} ${rule.id}`
}

function idOfTelling({ alert_id, rule_id }: { alert_id: number | null; rule_id: number | null }): string {
  return `${alert_id} ${rule_id}`
}
