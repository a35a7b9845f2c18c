import type { OneIncident, SentNotification, SloIncident } from '../api/history.ts'
import { formatMoment, formatSecond, list, plural } from '../format.ts'

type Notified = Pick<
  SloIncident,
  'since' | 'relapses' | 'recovered_at' | 'closed_at' | 'close_reason' | 'notifications'
>

/** A channel's newest message about an incident. `atMs`: when it was sent, else when it was made. */
type Message = {
  channel: string
  about: SentNotification['incident_event']
  atMs: number
  isFailed: boolean
  isWaiting: boolean
}

/**
 * Newest message of each channel about an incident: that it fails, or that it no longer does. Channels are in the order of their first
 * message. If the incident failed again, only the messages since then count.
 */
export function newestMessages(incident: Notified): Message[] {
  const { since, relapses, notifications = [] } = incident
  const messages = notifications.filter(
    (one) => one.status !== 'throttled' && (one.event === 'alert' || (isOver(incident) && isEnd(one))),
  )
  const current = messages.filter(({ created_at }) => relapses === 0 || Date.parse(created_at) >= Date.parse(since))
  return [...Map.groupBy(current, ({ channel_id }) => channel_id).values()].flatMap((ofChannel) => {
    const about = aboutOf(ofChannel.at(-1))
    const newest = ofChannel.filter((one) => aboutOf(one) === about)
    const delivered = newest.find(({ status }) => status === 'delivered' || status === 'sent')
    const one = delivered ?? newest.at(-1)
    if (!one) return []
    const atMs = Date.parse(one.sent_at ?? one.created_at)
    const isFailed = one.status === 'failed'
    return [
      { channel: one.channel_name ?? 'a deleted channel', about, atMs, isFailed, isWaiting: !delivered && !isFailed },
    ]
  })
}

function isOver({ recovered_at, closed_at }: Notified): boolean {
  return recovered_at !== null || closed_at !== null
}

/** True if an incident ended, alone or among others (`alert_id` null); false if only one of its alerts ended, or its severity fell. */
function isEnd({ event, incident_event, alert_id }: SentNotification): boolean {
  return event === 'recovery' && (incident_event === 'recovered' || alert_id === null)
}

function aboutOf(one: SentNotification | undefined): Message['about'] {
  return one?.event === 'recovery' ? 'recovered' : (one?.incident_event ?? null)
}

type NotNotified = OneIncident['data']['not_notified'][number]

/**
 * Sentences on who was notified last of an incident, and which channel could not be: `On call was notified at 04:48:10.` Empty if somebody
 * was notified, but nobody since it failed again. `notNotified`: the channels that were not notified of it, each with its reason; absent:
 * not known.
 */
export function notifiedSentence(incident: Notified, nowMs: number, notNotified?: readonly NotNotified[]): string {
  const messages = newestMessages(incident)
  const failed = messages.filter(({ isFailed }) => isFailed)
  const waiting = messages.filter(({ isWaiting }) => isWaiting)
  const arrived = messages.filter(({ isFailed, isWaiting }) => !isFailed && !isWaiting)
  const newest = arrived.toSorted((a, b) => b.atMs - a.atMs)[0]
  if (!newest) {
    if (waiting.length > 0) return withNames(waiting, waitingTexts[subjectOf(waiting, incident)])
    if (!wasNotified(incident)) return nobodySentence(notNotified, nowMs)
    if (failed.length === 0) return ''
    return failedTexts[subjectOf(failed, incident)].replace('#', () => namesOf(failed))
  }
  const alike = arrived.filter(({ about }) => about === newest.about)
  const at = formatSecond(alike[0]?.atMs ?? newest.atMs, nowMs)
  const sentence = withNames(alike, arrivedTexts[subjectOf(alike, incident)](at))
  return failed.length === 0 ? sentence : `${sentence} ${namesOf(failed)} could not be.`
}

/** Subject of messages: a failure, or its end; `up`: it is up again, `unknown`: that is not known. */
type Subject = 'failure' | 'up' | 'unknown' | 'end'
/** Sentences on one channel and on several, whose names `#` stands for. */
type Texts = [one: string, several: string]

const arrivedTexts: Record<Subject, (at: string) => Texts> = {
  failure: (at) => [`# was notified at ${at}.`, `# were notified at ${at}.`],
  up: (at) => [`# was notified at ${at} that it is up again.`, `# were notified at ${at} that it is up again.`],
  unknown: (at) => [
    `# was notified at ${at} that it is not known to be up.`,
    `# were notified at ${at} that it is not known to be up.`,
  ],
  end: (at) => [`# was notified at ${at} of the end.`, `# were notified at ${at} of the end.`],
}

const waitingTexts: Record<Subject, Texts> = {
  failure: ['# is being notified.', '# are being notified.'],
  up: ['# is being notified that it is up again.', '# are being notified that it is up again.'],
  unknown: [
    '# is being notified that it is not known to be up.',
    '# are being notified that it is not known to be up.',
  ],
  end: ['# is being notified of the end.', '# are being notified of the end.'],
}

const failedTexts: Record<Subject, string> = {
  failure: '# could not be notified.',
  up: '# could not be notified that it is up again.',
  unknown: '# could not be notified that it is not known to be up.',
  end: '# could not be notified of the end.',
}

function subjectOf(messages: readonly Message[], incident: Notified): Subject {
  if (!messages.every(({ about }) => about === 'recovered')) return 'failure'
  if (incident.recovered_at !== null) return 'up'
  return isUnknownEnd(incident) ? 'unknown' : 'end'
}

/** True for an incident that was closed without being known to be up, as its SLO is no longer evaluated. */
export function isUnknownEnd({
  recovered_at,
  close_reason,
}: Pick<SloIncident, 'recovered_at' | 'close_reason'>): boolean {
  return close_reason === 'not_evaluated' && recovered_at === null
}

/** True if any message about the failure of an incident has arrived, or is on its way. */
export function wasNotified({ notifications = [] }: Notified): boolean {
  return notifications.some(({ event, status }) => event === 'alert' && status !== 'throttled' && status !== 'failed')
}

function withNames(of: readonly Message[], [one, several]: Texts): string {
  return plural(of.length, one, several, () => namesOf(of))
}

const maxNames = 2

function namesOf(of: readonly { channel: string }[]): string {
  return list(
    of.map(({ channel }) => channel),
    maxNames,
  )
}

function nobodySentence(notNotified: readonly NotNotified[] | undefined, nowMs: number): string {
  if (!notNotified) return 'Nobody was notified.'
  const main = mainOf(notNotified)
  if (!main) return 'Nobody was notified: there is no channel.'
  const alike = notNotified.filter(({ reason }) => reason === main.reason)
  const names = namesOf(alike.map(({ channel_name }) => ({ channel: channel_name })))
  if (main.reason === 'no_rule') return `Nobody was notified: no rule sends this to ${names}.`
  return `Nobody was notified: ${notNotifiedWords(main, nowMs)} (${names}).`
}

/** Reasons, first that of the channel that was closest to being notified. */
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

/** Link to the page where the reason why nobody was notified can be fixed; null: nothing has to be done. */
export function fixLinkOf(notNotified: readonly NotNotified[], sloId: number): { label: string; path: string } | null {
  const main = mainOf(notNotified)
  if (!main) return { label: 'Make a channel', path: '/notify/channels' }
  switch (main.reason) {
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
  const to = until === null ? null : formatMoment(Date.parse(until), nowMs)
  const detail = message === null || message === '' ? '' : `: ${message}`
  switch (reason) {
    case 'failed':
      return `the delivery failed${detail}`
    case 'channel_disabled':
      return 'the channel is switched off'
    case 'no_rule':
      return 'no rule sends this to it'
    case 'acknowledged':
      return by === null ? 'acknowledged before it was due' : `acknowledged by ${by} before it was due`
    case 'silenced':
      return `${silencedWords(by, to)}${detail}`
    case 'throttled':
      return to === null ? 'the same text was sent a short time ago' : `its rule sends nothing again until ${to}`
    case 'next_evaluation':
      return 'its rule is new, it is notified in a minute'
    case 'inhibited':
      return 'something worse fails at the same time, which no rule sends to it'
  }
}

function silencedWords(by: string | null, until: string | null): string {
  if (by === null) return until === null ? 'silenced' : `silenced until ${until}`
  return until === null ? `silenced by ${by}` : `silenced by ${by} until ${until}`
}
