import type { AlertRow } from '../../db/tables/tables.ts'
import type { RuleOfChannel, SentNotification } from './alert-store.ts'
import type { Draft } from '../outbox-store.ts'
import type { Template } from '../templates/templates.ts'
import { draftOf, type Envelope, type Known, type RaiseDeps } from './draft.ts'

/**
 * The recoveries: of each alert that has ended, one to every channel that was told of it, silenced or not, and of a status
 * to those that have a rule for recoveries. Such a rule also gives the words. What was never delivered is not taken back.
 */
export function notifyOfEnds(
  { clock, publicUrl }: Pick<RaiseDeps, 'clock' | 'publicUrl'>,
  { standings, rules, tellings }: Known,
): Draft[] {
  const rulesOf = Map.groupBy(
    rules.filter(({ cause }) => cause === 'recovery'),
    ({ slo_id }) => slo_id,
  )
  const toldOf = Map.groupBy(tellings.filter(isReached), ({ alert_id }) => alert_id)
  const nowMs = clock.now()
  return standings.flatMap((standing) => {
    const own = rulesOf.get(standing.slo.id) ?? []
    return standing.ended.flatMap((alert) =>
      recipientsOf(alert, toldOf.get(alert.id) ?? [], own).map(({ envelope, words }) =>
        draftOf({ publicUrl, nowMs }, standing, alert, envelope, words),
      ),
    )
  })
}

const noneOfItsOwn: Template = { subject: null, message: null }

type Recipient = { envelope: Envelope; words: Template }

/** Whoever was told is told that it is over; whoever has a rule for that, in its words. */
function recipientsOf({ name }: AlertRow, tellings: SentNotification[], rules: RuleOfChannel[]): Recipient[] {
  const told = new Map(tellings.map((telling) => [telling.channel_id, telling]))
  const withRule = rules.filter(({ channel_id }) => name === 'status' || told.has(channel_id))
  const ruled = new Set(withRule.map(({ channel_id }) => channel_id))
  return [
    ...[...told.values()].filter(({ channel_id }) => !ruled.has(channel_id)).map(ofTelling),
    ...withRule.map((rule) => ({ envelope: { ...envelopeOf(rule), rule_id: rule.id }, words: rule })),
  ]
}

function ofTelling(telling: SentNotification): Recipient {
  const alert_type = telling.alert_type === 'slo_below_target' ? 'slo_recovery' : 'recovery'
  return { envelope: { ...envelopeOf(telling), alert_type, rule_id: telling.rule_id }, words: noneOfItsOwn }
}

/** Through a channel that is disabled it fails, which the history shows, and can be retried. */
export function isReached({ status, channel_enabled }: SentNotification): boolean {
  return status !== 'throttled' && status !== 'failed' && channel_enabled !== null
}

function envelopeOf({ channel_id, channel_type, alert_type, priority, max_retries }: RuleOfChannel | SentNotification) {
  return { channel_id, channel_type, alert_type, priority, max_retries, event: 'recovery' } as const
}
