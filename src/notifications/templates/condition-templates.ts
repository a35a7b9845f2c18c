import type { NotificationEvent } from '../../db/tables/tables.ts'
import type { ConditionFacts } from '../facts.ts'
import { asParagraphs, capital, clockTime } from './default-templates.ts'
import { secondsOf, shownDuration } from './template-data.ts'
import { fitted } from './templates.ts'

type TemplateData = { event: NotificationEvent; facts: ConditionFacts; publicUrl: string; nowMs: number }

/** What a notification of a condition of nines itself says: what is wrong, what to do, since when, and where to look. */
export function conditionWords({ event, facts, publicUrl, nowMs }: TemplateData): { subject: string; message: string } {
  const { alert, message, advice } = facts
  const link = `${publicUrl}/api/v1/health`
  if (alert === null) return ruleWords(link)
  const name = facts.condition.replaceAll('_', ' ')
  if (event === 'recovery') {
    const lasted = shownDuration(secondsOf(alert, nowMs))
    const times = `From ${clockTime(alert.began_at)} to ${clockTime(alert.ended_at ?? alert.began_at)} (${lasted}).`
    return fitted({
      subject: `Recovered: nines: ${name}`,
      message: asParagraphs([[`This condition of nines itself is over: ${name}.`, times], [link]]),
    })
  }
  const fact = message === null ? `nines itself is unwell: ${name}.` : `${capital(message)}.`
  const toDo = advice === null ? '' : `What to do: ${advice}.`
  return fitted({
    subject: `${capital(alert.severity)}: nines: ${name}`,
    message: asParagraphs([
      [fact, toDo],
      [`Since ${clockTime(alert.began_at)}.`, link],
    ]),
  })
}

function ruleWords(link: string): { subject: string; message: string } {
  const what = 'this channel is notified when nines itself is unwell'
  const opening = `A notification rule was made or changed: ${what}, and when that is over.`
  return { subject: `Rule: ${what}`, message: asParagraphs([[opening], ['What holds now is listed here:', link]]) }
}
