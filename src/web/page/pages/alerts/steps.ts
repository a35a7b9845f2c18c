import type { Alert, AlertNotification } from '../../api/history.ts'
import type { IconName } from '../../ui/icon-names.ts'

export type Step = { atMs: number; icon: IconName; text: string; notification?: AlertNotification }

const eventWords: Record<string, string> = {
  alert: 'was notified',
  recovery: 'was notified of the end',
  acknowledgement: 'was notified of the acknowledgement',
  message: 'got a message',
}

/** Events of an alert in order: begin, notifications, acknowledgement, end. */
export function stepsOf(
  { began_at, ended_at, acknowledged }: Pick<Alert, 'began_at' | 'ended_at' | 'acknowledged'>,
  notifications: readonly AlertNotification[],
): Step[] {
  const steps: Step[] = [{ atMs: Date.parse(began_at), icon: 'siren', text: 'The alert began' }]
  for (const one of notifications) {
    const who = one.channel_name ?? 'A deleted channel'
    const what = eventWords[one.event] ?? one.event
    steps.push({ atMs: Date.parse(one.created_at), icon: 'bell', text: `${who} ${what}`, notification: one })
  }
  if (acknowledged) {
    const { by, at, note } = acknowledged
    steps.push({ atMs: Date.parse(at), icon: 'check', text: `${by} acknowledged it${note === '' ? '' : `: ${note}`}` })
  }
  if (ended_at !== null) steps.push({ atMs: Date.parse(ended_at), icon: 'minus', text: 'The alert ended' })
  return steps.toSorted((a, b) => a.atMs - b.atMs)
}
