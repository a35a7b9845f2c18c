import type { SloData } from '../notification-data.ts'
import { isOfIncident } from '../templates/incident-texts.ts'
import { formatNumber, formatShare, formatSli, spellWindow } from '../templates/template-data.ts'
import { type Message, severityIn } from './channel.ts'

/** Colour of a notification: red is urgent, amber can wait, green is a recovery, grey is a message without an alert. */
export type Tone = 'red' | 'amber' | 'green' | 'grey'

export const colours: Readonly<Record<Tone, number>> = {
  red: 0x99_2d_22,
  amber: 0xe6_7e_22,
  green: 0x2e_cc_71,
  grey: 0x95_a5_a6,
}

/** Emojis for chats without colours. */
export const marks: Readonly<Record<Tone, string>> = { red: '🔴', amber: '🟠', green: '🟢', grey: '⚪' }

/** Colour of a message as `#rrggbb`. */
export function hexColourOf(message: Message): string {
  return `#${colours[toneOf(message)].toString(16).padStart(6, '0')}`
}

export function toneOf({ event, ...message }: Message): Tone {
  if (event === 'recovery') return 'green'
  if (event === 'message') return 'grey'
  const severity = severityIn(message)
  return severity === 'warning' || severity === 'ticket' ? 'amber' : 'red'
}

/** Subject of a message; if a template left it empty, the name of the SLO, because no chat accepts an empty title. */
export function titleOf({ subject, slo }: Message): string {
  return subject.trim() || slo?.data.slo_name || 'nines'
}

/** Name and value pairs about the SLO, one short line each; none for a test. Those that the text of an incident has are left out. */
export function sloFields({ slo }: Message): { name: string; value: string }[] {
  if (!slo) return []
  const { slo_name, status, target, time_window, current_value, error_budget_remaining: remaining, alert } = slo.data
  const objective = `${target} % over ${spellWindow(time_window)}`
  if (isOfIncident(slo.data))
    return [
      { name: 'SLO', value: slo_name },
      { name: 'Target', value: objective },
    ]
  const fields: [string, string | null][] = [
    ['SLO', slo_name],
    ['Status', status],
    ['SLI', current_value === null ? null : `${formatSli(current_value)} %`],
    ['Target', objective],
    ['Error budget remaining', remaining === null ? null : `${formatShare(remaining)} %`],
    ['Burn rate', burnRate(alert)],
  ]
  return fields.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
}

/**
 * Data of an SLO for the details of an incident at a receiver. A message about an incident leaves out the values over windows,
 * which its text has or which lag behind it.
 */
export function detailsOf(data: SloData): Partial<SloData> {
  if (!isOfIncident(data)) return data
  const { status: _, current_value: __, error_budget_used: ___, error_budget_remaining: ____, ...details } = data
  return details
}

/** Text with `&`, `<` and `>` as entities, cut to `max` characters including them; a cut is marked by `…`. */
export function escaped(text: string, max = Infinity): string {
  const whole = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  if (whole.length <= max) return whole
  return `${whole.slice(0, max - 1).replace(/&[a-z]*$|[\uD800-\uDBFF]$/, '')}…`
}

function burnRate(alert: SloData['alert']): string | null {
  if (!alert?.burn_rate) return null
  const { factor, long, long_window, short, short_window } = alert.burn_rate
  const rates = [
    { rate: long, window: long_window },
    { rate: short, window: short_window },
  ].filter(({ rate }) => rate !== null)
  if (rates.length === 0) return null
  return `${rates.map(({ rate, window }) => `${formatNumber(rate)} over ${spellWindow(window)}`).join(', ')} (limit ${formatNumber(factor)})`
}
