import type { AlertData, SloData } from '../notification-data.ts'
import type { TimeWriter } from '../../zone.ts'
import { formatLabels, policyIn } from './template-data.ts'

/** Joins paragraphs of lines, without empty ones. */
export function asParagraphs(paragraphs: string[][]): string {
  const texts = paragraphs.map((lines) => lines.filter((line) => line !== '').join('\n'))
  return texts.filter((paragraph) => paragraph !== '').join('\n\n')
}

/** Line with the acknowledgement of an alert: name, time and note. */
export function acknowledgedLine(alert: Pick<AlertData, 'acknowledged'> | null, times: TimeWriter): string {
  if (!alert?.acknowledged) return ''
  const { by, at, note } = alert.acknowledged
  return `Acknowledged by ${by}, ${times.minute(at)}${note === '' ? '.' : `: ${note}`}`
}

/** Line with the labels of an SLO; empty if it has none. */
export function labelLine({ labels }: SloData): string {
  const text = formatLabels(labels)
  return text === '' ? '' : `Labels: ${text}`
}

/** The word with a capital letter. */
export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** The line of the error budget policy that holds now: `Policy at 25 %: Freeze of risky deploys`; empty if none does. */
export function policyLine(slo: SloData): string {
  const name = slo.policy?.source === 'team' ? 'Policy of the team' : 'Policy'
  return slo.policy ? `${name} at ${slo.policy.percent_left} %: ${policyIn(slo)}` : ''
}
