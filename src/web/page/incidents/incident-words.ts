import type { OneIncident, SentNotification, SloIncident } from '../api/history.ts'
import { formatBurn, formatDuration, formatMoment, formatNumber, formatSecond } from '../format.ts'
import { costWords } from './alert-words.ts'

type Incident = Omit<SloIncident, 'notifications'>

const isUp = ({ state, recovered_at }: Incident) =>
  state === 'recovering' || (state === 'closed' && recovered_at !== null)

/** Tone of an incident's shape: of its state while it is open, of its severity afterwards. */
export function toneOf({ state, severity }: Incident): 'healthy' | 'warning' | 'critical' | 'unknown' {
  if (state === 'closed') return severity
  if (state === 'recovering') return 'healthy'
  return state === 'unknown' ? 'unknown' : state === 'burning' ? 'warning' : 'critical'
}

const ranks: Record<Incident['state'], number> = {
  down: 0,
  burning_fast: 1,
  unknown: 2,
  burning: 3,
  recovering: 4,
  closed: 5,
}

/** Sorts incidents by the attention that they need; otherwise keeps the order. */
export function byAttention<T extends Incident>(incidents: readonly T[]): T[] {
  return incidents.toSorted((a, b) => ranks[a.state] - ranks[b.state])
}

/** State of an incident in a few words: `Down 8 min`, `Burning 171×`, `Up again for 4 min`, `Over`. */
export function stateWord(incident: Incident, nowMs: number): string {
  const { state, since, recovered_at, close_reason, closed_by } = incident
  switch (state) {
    case 'down':
      return lasting('Down', since, nowMs)
    case 'burning_fast':
    case 'burning':
      return burningWord(incident)
    case 'recovering':
      return lasting('Up again for', recovered_at, nowMs, 'Up again')
    case 'unknown':
      return `No news, was ${wasWord(incident)}`
    case 'closed':
      if (close_reason === 'by_hand') return `Closed by ${closed_by ?? 'hand'}`
      return close_reason === 'recovered' ? 'Over' : 'Not known to be up'
  }
}

function burningWord({ burn_rate_now: now, peak_burn_rate: peak }: Incident): string {
  const rate = now !== null && now > 1 ? now : peak
  return rate === null || rate <= 1 ? 'Burning' : `Burning ${formatBurn(rate)}`
}

function wasWord({ reason }: Incident): string {
  return reason === null ? 'burning' : 'down'
}

function lasting(word: string, since: string | null, nowMs: number, short = word): string {
  const seconds = since === null ? 0 : (nowMs - Date.parse(since)) / 1000
  return seconds < 60 ? short : `${word} ${formatDuration(seconds)}`
}

/** Reason of an outage, or the label that fails; else the highest burn rate where the state does not say it; a dash: nothing more is known. */
export function whatFails(incident: Incident): string {
  const { state, reason, cause, peak_burn_rate: peak } = incident
  if (reason !== null) return reason
  if (cause !== null) return cause.text
  const isSaid = state.startsWith('burning') && peak !== null && burningWord(incident).endsWith(` ${formatBurn(peak)}`)
  return peak === null || isSaid ? '–' : `At most ${formatBurn(peak)}`
}

/** Cost of an incident: `40 % of the budget so far`, `3.2 times the budget`; null: not known. */
export function budgetWords(incident: Incident): string | null {
  const { budget_percent: percent } = incident
  if (percent === null) return null
  const soFar = isUp(incident) || incident.state === 'closed' ? '' : ' so far'
  if (percent > 1000) return `over 10 times the budget${soFar}`
  if (percent >= 101) return `${formatNumber(percent / 100, 1)} times the budget${soFar}`
  return `${costWords(incident)} of the budget${soFar}`
}

/** Sentence of an incident that is true at `nowMs`: `Down since 05:45 (8 min): HTTP 503. It used 40 % of the budget so far.` */
export function incidentSentence(incident: Incident, nowMs: number): string {
  const { state, reason, cause, began_at, since, relapses, recovered_at, closed_at, close_reason, closed_by } = incident
  const lasted = formatDuration(incident.duration_seconds)
  const sinceMs = Date.parse(since)
  const start = `since ${formatMoment(sinceMs, nowMs)} (${formatDuration((nowMs - sinceMs) / 1000)})`
  const fails = reason ?? cause?.text ?? null
  const why = fails === null ? '' : `: ${fails}`
  const cost = budgetWords(incident)
  const used = cost === null ? '' : ` used ${cost}`
  const again =
    relapses === 0
      ? ''
      : ` It began ${formatMoment(Date.parse(began_at), nowMs)} and has failed again ${relapses === 1 ? 'once' : `${relapses} times`} since.`
  const spent = used === '' ? '' : ` It${used}.`
  switch (state) {
    case 'down':
      return `Down ${start}${why}.${spent}${again}`
    case 'burning_fast':
    case 'burning':
      return `${burningWord(incident)} ${start}${why}.${spent}${again}`
    case 'recovering':
      return `${stateWord(incident, nowMs)}. It failed for ${lasted}${used && ` and${used}`}. It is over when nothing fails for 15 min.${again}`
    case 'unknown':
      return `No news of it. It was ${wasWord(incident)} ${start}${why}.${spent}`
    case 'closed': {
      const when = atWords(close_reason === 'recovered' ? recovered_at : closed_at, nowMs)
      const end =
        close_reason === 'by_hand'
          ? `Closed by ${closed_by ?? 'hand'}${when}.`
          : close_reason === 'not_evaluated'
            ? `Closed${when} because its SLO is no longer evaluated: it is not known to be up.`
            : `Over${when && ` since${when}`}.`
      return `${end} It lasted ${lasted}${used && ` and${used}`}${why}.`
    }
  }
}

function atWords(iso: string | null, nowMs: number): string {
  return iso === null ? '' : ` ${formatMoment(Date.parse(iso), nowMs)}`
}

/** First message of each channel that an incident fails, in order. `atMs`: when it was sent, else when it was made. */
type Opening = { channel: string; atMs: number; isFailed: boolean; isWaiting: boolean }

export function openingsOf(notifications: readonly SentNotification[]): Opening[] {
  const alerts = notifications.filter(({ event, status }) => event === 'alert' && status !== 'throttled')
  return [...Map.groupBy(alerts, ({ channel_id }) => channel_id).values()].flatMap((ofChannel) => {
    const arrived = ofChannel.find(({ status }) => status === 'delivered' || status === 'sent')
    const one = arrived ?? ofChannel.at(-1)
    if (!one) return []
    const atMs = Date.parse(one.sent_at ?? one.created_at)
    const isFailed = one.status === 'failed'
    return [{ channel: one.channel_name ?? 'a deleted channel', atMs, isFailed, isWaiting: !arrived && !isFailed }]
  })
}

type NotNotified = OneIncident['data']['not_notified'][number]

/**
 * Sentences on who was notified, and which channel could not be: `On call was notified at 04:48:10.` `notNotified`: the other channels,
 * each with its reason; absent: not known.
 */
export function notifiedSentence(
  notifications: readonly SentNotification[],
  nowMs: number,
  notNotified?: readonly NotNotified[],
): string {
  const openings = openingsOf(notifications)
  const failed = openings.filter(({ isFailed }) => isFailed)
  const waiting = openings.filter(({ isWaiting }) => isWaiting)
  const arrived = openings.filter(({ isFailed, isWaiting }) => !isFailed && !isWaiting)
  const [first] = arrived
  if (!first) return waiting.length > 0 ? `${verb(waiting, 'being')} notified.` : nobodySentence(notNotified, nowMs)
  const problem = failed.length === 0 ? '' : ` ${namesOf(failed)} could not be.`
  return `${verb(arrived)} notified at ${formatSecond(first.atMs, nowMs)}.${problem}`
}

function verb(of: readonly Opening[], is?: 'being'): string {
  const [one, many] = is ? ['is being', 'are being'] : ['was', 'were']
  return `${namesOf(of)} ${of.length === 1 ? one : many}`
}

const maxNames = 3

function namesOf(of: readonly { channel: string }[]): string {
  const names = of.map(({ channel }) => channel)
  const shown =
    names.length > maxNames ? [...names.slice(0, maxNames - 1), `${names.length - maxNames + 1} more`] : names
  const last = shown.at(-1) ?? ''
  return shown.length === 1 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}

function nobodySentence(notNotified: readonly NotNotified[] | undefined, nowMs: number): string {
  if (!notNotified) return 'Nobody was notified.'
  const first = mainOf(notNotified)
  if (!first) return 'Nobody was notified: there is no channel.'
  const alike = notNotified.filter(({ reason }) => reason === first.reason)
  const names = namesOf(alike.map(({ channel_name }) => ({ channel: channel_name })))
  if (first.reason === 'no_rule') return `Nobody was notified: no rule sends this to ${names}.`
  return `Nobody was notified: ${notNotifiedWords(first, nowMs)} (${names}).`
}

const byWeight: NotNotified['reason'][] = [
  'failed',
  'silenced',
  'acknowledged',
  'channel_disabled',
  'next_evaluation',
  'throttled',
  'inhibited',
  'no_rule',
]

/** Channel that was closest to being notified. */
function mainOf(notNotified: readonly NotNotified[]): NotNotified | undefined {
  return notNotified.toSorted((a, b) => byWeight.indexOf(a.reason) - byWeight.indexOf(b.reason))[0]
}

/** Link to the page that solves that nobody was notified; null: nothing has to be done. */
export function mendOf(notNotified: readonly NotNotified[], sloId: number): { label: string; path: string } | null {
  const first = mainOf(notNotified)
  if (!first) return { label: 'Make a channel', path: '/notify/channels' }
  switch (first.reason) {
    case 'no_rule':
      return { label: 'Notify for this one', path: `/slos/${sloId}/alerting` }
    case 'failed':
    case 'channel_disabled':
      return { label: 'See the channels', path: '/notify/channels' }
    case 'silenced':
      return { label: 'See the silences', path: '/notify/silences' }
    case 'inhibited':
      return { label: 'See the rules', path: '/notify/rules' }
    default:
      return null
  }
}

/** Why a channel was not notified: `silenced by Ada until 05:48: moving the database`. */
export function notNotifiedWords({ reason, by, until, message }: NotNotified, nowMs: number): string {
  const whose = by === null ? '' : ` by ${by}`
  const to = until === null ? '' : formatMoment(Date.parse(until), nowMs)
  const said = message === null || message === '' ? '' : `: ${message}`
  switch (reason) {
    case 'failed':
      return `the delivery failed${said}`
    case 'channel_disabled':
      return 'the channel is switched off'
    case 'no_rule':
      return 'no rule sends this to it'
    case 'acknowledged':
      return `acknowledged${whose} before it was due`
    case 'silenced':
      return `silenced${whose}${to && ` until ${to}`}${said}`
    case 'throttled':
      return to === '' ? 'the same text was sent a short time ago' : `its rule sends nothing again until ${to}`
    case 'next_evaluation':
      return 'its rule is new, it is notified in a minute'
    case 'inhibited':
      return 'something worse fails at the same time, which no rule sends to it'
  }
}
