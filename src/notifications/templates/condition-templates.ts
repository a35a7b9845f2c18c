import type { NotificationEvent } from '../../db/tables/tables.ts'
import type { ConditionData } from '../notification-data.ts'
import { certificateTexts } from './certificate-templates.ts'
import { timeWriter, type Zone } from '../../zone.ts'
import { acknowledgedLine, asParagraphs, capital } from './lines.ts'
import { firingSeconds, formatDuration } from './template-data.ts'
import { cutToLimits } from './templates.ts'

/** `runsNines`: the channel is one of the first organization, which is notified of conditions of nines itself. */
type ConditionTemplateData = {
  event: NotificationEvent
  condition: ConditionData
  publicUrl: string
  runsNines: boolean
  zone: Zone
  nowMs: number
}

/** Texts of a notification about a condition of nines itself: the problem, the remedy, since when, and a link; or about a certificate. Without an alert they announce a rule. */
export function conditionTexts({ event, condition, publicUrl, runsNines, zone, nowMs }: ConditionTemplateData): {
  subject: string
  message: string
} {
  const { alert, message, advice } = condition
  const link = `${publicUrl}/api/v1/health`
  if (alert === null) return ruleTexts(publicUrl, runsNines)
  const { certificate } = condition
  if (certificate) return certificateTexts({ condition, certificate, publicUrl, zone, nowMs })
  const times = timeWriter(zone)
  const name = condition.condition.replaceAll('_', ' ')
  if (event === 'recovery') {
    const lasted = formatDuration(firingSeconds(alert, nowMs))
    const span = `From ${times.minute(alert.began_at)} to ${times.minute(alert.ended_at ?? alert.began_at)} (${lasted}).`
    return cutToLimits({
      subject: `Recovered: nines: ${name}`,
      message: asParagraphs([
        [`This condition of nines itself has ended: ${name}.`, span, acknowledgedLine(alert, times)],
        [link],
      ]),
    })
  }
  const sentence = message === null ? `nines itself is unwell: ${name}.` : `${capital(message)}.`
  const toDo = advice === null ? '' : `What to do: ${advice}.`
  return cutToLimits({
    subject: `${capital(alert.severity)}: nines: ${name}`,
    message: asParagraphs([
      [sentence, toDo],
      [`Since ${times.minute(alert.began_at)}.`, link],
    ]),
  })
}

function ruleTexts(publicUrl: string, runsNines: boolean): { subject: string; message: string } {
  const expiring = 'a certificate expires soon'
  const reason = `this channel is notified when ${runsNines ? `nines itself is unwell or ${expiring}` : expiring}`
  const opening = `A notification rule was made or changed: ${reason}, and when that has ended.`
  const links = [
    ...(runsNines ? ['What holds of nines itself is listed here:', `${publicUrl}/api/v1/health`] : []),
    'Certificates are listed here:',
    `${publicUrl}/collect/probes`,
  ]
  return { subject: `Rule: ${reason}`, message: asParagraphs([[opening], links]) }
}
