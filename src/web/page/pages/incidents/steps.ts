import type { Alert, AlertNotification, OneIncident, SentNotification } from '../../api/history.ts'
import { alertTitle, capitalized } from '../../incidents/alert-words.ts'
import { isUnknownEnd } from '../../incidents/notified-words.ts'
import type { IconName } from '../../ui/icon-names.ts'

/** Event of a timeline, with its sentence. `notification`: the message that it is about. */
export type Step = { atMs: number; icon: IconName; text: string; notification?: AlertNotification }

/** Sentences about a message that was sent, that failed, and that was throttled. `#`: its channel. */
type Texts = readonly [sent: string, failed: string, throttled: string]

const failureTexts: Texts = ['# was notified', '# could not be notified', '# was not notified again']
const warningEndTexts: Texts = [
  '# was notified of the end of the warning, as it got worse',
  '# could not be notified of the end of the warning, as it got worse',
  '# was not notified again of the end of the warning, as it got worse',
]
const unknownEndTexts: Texts = [
  '# was notified that it is not known to be up',
  '# could not be notified that it is not known to be up',
  '# was not notified again that it is not known to be up',
]
const otherTexts: Texts = ['# got a message', '# could not get a message', '# was not notified again']

const eventTexts: Record<string, Texts | undefined> = {
  alert: failureTexts,
  recovery: ['# was notified of the end', '# could not be notified of the end', '# was not notified again of the end'],
  acknowledgement: [
    '# was notified of the acknowledgement',
    '# could not be notified of the acknowledgement',
    '# was not notified again of the acknowledgement',
  ],
  opened: failureTexts,
  rose: [
    '# was notified that it got worse',
    '# could not be notified that it got worse',
    '# was not notified again that it got worse',
  ],
  again: [
    '# was notified that it fails again',
    '# could not be notified that it fails again',
    '# was not notified again that it fails again',
  ],
  flapping: [
    '# was notified that it fails again and again',
    '# could not be notified that it fails again and again',
    '# was not notified again that it fails again and again',
  ],
  recovered: [
    '# was notified that it is up again',
    '# could not be notified that it is up again',
    '# was not notified again that it is up again',
  ],
}

type Message = AlertNotification & Partial<Pick<SentNotification, 'incident_event'>>

/**
 * Sentence on a message of an alert or incident: `On call was notified that it is up again`. `isUnknown`: its incident was closed
 * without being known to be up.
 */
export function notifiedWords(of: Message, { isUnknown = false } = {}): string {
  const [sent, failed, throttled] = textsOf(of, isUnknown)
  const text = of.status === 'throttled' ? throttled : of.status === 'failed' ? failed : sent
  return text.replace('#', () => of.channel_name ?? 'A deleted channel')
}

function textsOf({ event, incident_event }: Message, isUnknown: boolean): Texts {
  if (event === 'recovery' && incident_event === 'rose') return warningEndTexts
  if (incident_event === 'recovered' && isUnknown) return unknownEndTexts
  return eventTexts[incident_event ?? event] ?? otherTexts
}

/** Events of an alert in order of time: begin, notifications, acknowledgement, end. */
export function stepsOf(
  { began_at, ended_at, acknowledged }: Pick<Alert, 'began_at' | 'ended_at' | 'acknowledged'>,
  notifications: readonly AlertNotification[],
): Step[] {
  return inOrder([
    { at: began_at, icon: 'siren', text: 'The alert began' },
    ...notifications.map((one) => ({
      at: one.created_at,
      icon: 'bell' as const,
      text: notifiedWords(one),
      notification: one,
    })),
    acknowledgedStep(acknowledged),
    ended_at !== null && { at: ended_at, icon: 'minus', text: 'The alert ended' },
  ])
}

type Incident = Omit<OneIncident['data'], 'not_notified'>

/** Events of an incident in order of time: failures, alerts, notifications, acknowledgement, notes, end. */
export function incidentSteps(incident: Incident): Step[] {
  const { began_at, closed_at, alerts, history, notes, notifications } = incident
  const isUnknown = isUnknownEnd(incident)
  return inOrder([
    { at: began_at, icon: 'siren', text: 'It began to fail' },
    ...alerts.flatMap((alert): Event[] => {
      const title = capitalized(alertTitle(alert))
      const isNoLongerChecked = isUnknown && alert.ended_at !== null && alert.ended_at >= (closed_at ?? '')
      const text = isNoLongerChecked ? `${title}: no longer checked` : `${title}: no longer`
      const end = { at: alert.ended_at ?? '', icon: 'minus', text } as const
      return [{ at: alert.began_at, icon: 'siren', text: title }, alert.ended_at !== null && end]
    }),
    ...history.map(historyStep),
    ...notifications
      .filter(({ status }) => status !== 'throttled')
      .map((one) => ({
        at: one.sent_at ?? one.created_at,
        icon: 'bell' as const,
        text: notifiedWords(one, { isUnknown }),
      })),
    ...notes.map(({ by, note, created_at }) => ({
      at: created_at,
      icon: 'pencil' as const,
      text: `${by} noted: ${note}`,
    })),
    closed_at !== null && { at: closed_at, icon: 'minus', text: closedWords(incident) },
  ])
}

/** An event of a timeline; false: it has not happened. */
type Event = { at: string; icon: IconName; text: string; notification?: AlertNotification } | false

function acknowledgedStep(acknowledged: Alert['acknowledged']): Event {
  if (acknowledged === null) return false
  const { by, at, note } = acknowledged
  return { at, icon: 'check', text: `${by} acknowledged it${note === '' ? '' : `: ${note}`}` }
}

function historyStep({ event, at, by, note }: Incident['history'][number]): Event {
  switch (event) {
    case 'rose':
      return { at, icon: 'siren', text: 'It became critical' }
    case 'recovered':
      return { at, icon: 'check', text: 'It was up again' }
    case 'again':
      return { at, icon: 'siren', text: 'It failed again' }
    case 'acknowledged':
      return acknowledgedStep({ by: by ?? 'Somebody', at, note: note ?? '' })
    case 'withdrawn':
      return { at, icon: 'minus', text: `${by ?? 'Somebody'} took the acknowledgement back` }
  }
}

/** Time without failures after which the server closes an incident as recovered: `closedAfterSeconds` of notifications/incidents. */
const stableMs = 900_000

function closedWords({ close_reason, closed_by, closed_at, recovered_at }: Incident): string {
  if (close_reason === 'by_hand') return `${closed_by ?? 'Somebody'} closed it`
  if (close_reason === 'recovered') {
    const isStable = Date.parse(closed_at ?? '') - Date.parse(recovered_at ?? '') >= stableMs
    return isStable
      ? 'It was closed after 15 min without failures'
      : 'It was closed, up again: its SLO is no longer evaluated'
  }
  return 'It was closed, not known to be up: its SLO is no longer evaluated'
}

function inOrder(events: readonly Event[]): Step[] {
  return events
    .flatMap((event) => {
      if (event === false) return []
      const { at, ...rest } = event
      return [{ atMs: Date.parse(at), ...rest }]
    })
    .toSorted((a, b) => a.atMs - b.atMs)
}
