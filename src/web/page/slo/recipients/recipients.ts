import type { Channel, Recipients, Selector } from '../../api/history.ts'

/** Kind of alert of an SLO, with the channels that are notified of it and why. */
export type RecipientCause = Recipients['causes'][number]
export type Recipient = RecipientCause['recipients'][number]

type NamedCause = Pick<RecipientCause, 'alert_type' | 'severity'>

/** Severities of tiers, with what they ask of a person. */
export const severityWords: Record<string, string> = { page: 'Page (urgent)', ticket: 'Ticket (can wait)' }

export const bothSeverities = 'Page (urgent) and Ticket (can wait)'

const causeWords: Record<string, string> = {
  down: 'Down',
  error_budget_exhausted: 'Budget used up',
  error_budget_low: 'Budget low',
  violation: 'Far below the target',
  warning: 'Below the target',
  recovery: 'Up again',
}

/** Title of a cause of notifications: `Page (urgent)`, `Budget used up`. */
export function causeTitle({ alert_type, severity }: NamedCause): string {
  return causeWords[alert_type] ?? severityWords[severity ?? ''] ?? alert_type
}

/** SLOs of a selector: `every SLO`, `env=prod, tier=1`, `team Shop`. */
export function selectorWords({ labels, team_id }: Selector, teams: readonly { id: number; name: string }[]): string {
  if (team_id !== undefined) return `team ${teams.find(({ id }) => id === team_id)?.name ?? team_id}`
  if (labels === undefined) return 'every SLO'
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

/** Reason why a channel is notified: `every SLO`, `rule for env=prod`, `rule of this SLO`. */
export function reasonOf({ by, selector }: Recipient, teams: readonly { id: number; name: string }[]): string {
  if (by === 'default') return 'every SLO'
  return selector === null ? 'rule of this SLO' : `rule for ${selectorWords(selector, teams)}`
}

/** True if no channel is notified of any alert. */
export function isNobody(causes: readonly RecipientCause[]): boolean {
  return causes.every(({ alert_type, recipients }) => alert_type === 'recovery' || recipients.length === 0)
}

const standardCauses = new Set(['down', 'burn_rate_too_fast', 'error_budget_exhausted', 'recovery'])

/** Causes to list: those of `standardCauses`, and others of which somebody is notified. `mayBeDown`: the SLO has outages. */
export function listedCauses(causes: readonly RecipientCause[], mayBeDown: boolean): RecipientCause[] {
  return causes.filter(({ alert_type, recipients }) => {
    if (alert_type === 'down') return mayBeDown
    return standardCauses.has(alert_type) || recipients.length > 0
  })
}

const checkMetrics = /\b(?:probe_success|heartbeat_(?:success|runs_total|runs_good_total))\b/

/** True if an SLO with these queries can be down: it reads whether checks or runs of jobs succeed. */
export function canBeDown(...queries: readonly (string | null | undefined)[]): boolean {
  return queries.some((query) => checkMetrics.test(query ?? ''))
}

/** Remedy if nobody is notified: channels that could be notified of every SLO, or none of them is enabled, or there is none. */
type Remedy = { kind: 'default'; channels: Channel[] } | { kind: 'enable' } | { kind: 'add' }

export function remedyOf(channels: readonly Channel[]): Remedy {
  if (channels.length === 0) return { kind: 'add' }
  const enabled = channels.filter((channel) => channel.enabled)
  return enabled.length === 0
    ? { kind: 'enable' }
    : { kind: 'default', channels: enabled.filter((one) => !one.is_default) }
}
