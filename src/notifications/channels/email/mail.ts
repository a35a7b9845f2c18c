import { createHash } from 'node:crypto'
import { cleanLines, visibleLine, withoutLinks } from '../../../mail.ts'
import { type ChannelDeps, linkMissingIn, linkOf, type Message } from '../channel.ts'
import { titleOf, hexColourOf } from '../chat-text.ts'
import { truncate } from '../http.ts'
import { htmlText as escaped } from '../../../http/page.ts'
import type { AlertData, SloData } from '../../notification-data.ts'
import { isOfIncident } from '../../templates/incident-texts.ts'
import { type TimeWriter, timeWriter, utc } from '../../../zone.ts'
import { formatLabels, formatNumber, formatShare, formatSli, spellWindow } from '../../templates/template-data.ts'

const maxSubjectCharacters = 250

/**
 * Envelope of a mail. `isPlain`: texts that users wrote lose their links; links to nines stay. `unsubscribe`: link for a recipient to stop
 * the mails.
 */
type MailOptions = {
  from: string
  to: string[]
  isPlain: boolean
  replyTo?: string | undefined
  unsubscribe?: string
}

export type Mail = ReturnType<typeof mailOf>

/** Writes a message as a mail. Mails of messages with the same `threadKey` form a thread. */
export function mailOf(
  { clock }: Pick<ChannelDeps, 'clock'>,
  message: Message,
  { from, to, isPlain, replyTo, unsubscribe }: MailOptions,
) {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const clean = isPlain ? withoutLinks : visibleLine
  const subject = truncate(clean(titleOf(message)).replace(/\s+/g, ' '), maxSubjectCharacters)
  const cleaned = { ...cleanedMessage(message, clean), subject }
  const threadId = mailId('thread', message.threadKey, domain)
  return {
    from: { name: '', address: from },
    to: to.map((address) => ({ name: '', address })),
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    subject,
    text: textPart(cleaned, unsubscribe),
    html: htmlPart(cleaned, unsubscribe),
    date: new Date(clock.now()),
    messageId: mailId('message', message.idempotencyKey, domain),
    inReplyTo: threadId, // id of no existing mail; it identifies the thread
    references: threadId,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Nines-Event': message.event, ...unsubscribeHeaders(unsubscribe) },
  }
}

/** Message whose user-written texts are cleaned, in its text and in its data. Links to nines in the text stay. */
function cleanedMessage(message: Message, clean: (line: string) => string): Message {
  const { slo, report } = message
  if (!slo) {
    const text = withOurLinks(message, cleanLines(message.text, clean), clean)
    const figures = report?.figures.map((one) => ({ ...one, slo_name: clean(one.slo_name) })) ?? []
    return { ...message, text, ...(report && { report: { ...report, figures } }) }
  }
  const { slo_name, description, labels } = slo.data
  const data = {
    ...slo.data,
    slo_name: clean(slo_name),
    description: cleanLines(description, clean),
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [clean(key), clean(value)])),
  }
  const text = withOurLinks(message, cleanLines(message.text, clean), clean)
  return { ...message, text, slo: { ...slo, data } }
}

/** Text with the links that lead to nines restored. */
function withOurLinks(message: Message, text: string, clean: (line: string) => string): string {
  const links = [message.slo?.link, linkOf(message)?.url].flatMap((link) => link ?? [])
  return links.reduce((whole, link) => whole.replaceAll(clean(link), () => link), text)
}

/** Unsubscribe headers: RFC 2369, and RFC 8058 (one click) if the link is https, which it requires. */
function unsubscribeHeaders(link: string | undefined): Record<string, string> {
  if (link === undefined) return {}
  const oneClick = link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { 'List-Unsubscribe': `<${link}>`, ...oneClick }
}

function mailId(kind: string, key: string, domain: string): string {
  return `<${createHash('sha256').update(`${kind} ${key}`).digest('hex').slice(0, 40)}@${domain}>`
}

/** Text part of a mail: the message and its link. `unsubscribe`: link to stop these mails. */
function textPart(message: Message, unsubscribe?: string): string {
  const link = linkMissingIn(message)
  const whole = link === null ? message.text : `${message.text}\n\n${link}`
  return unsubscribe === undefined ? whole : `${whole}\n\nTo get no more of these mails: ${unsubscribe}`
}

/** HTML part of a mail, with a table about the SLO. It suits light and dark mode and loads no external resources. */
function htmlPart(message: Message, unsubscribe?: string): string {
  const { subject, text, slo, report, zone = utc } = message
  const rows = slo
    ? rowsOf(slo.data, timeWriter(zone)).map(([name, value]) => `<tr>${head(name)}${cell(value)}</tr>`)
    : []
  const table = report
    ? reportTable(report)
    : rows.length === 0
      ? ''
      : `<table style="border-collapse:collapse">\n${rows.join('\n')}\n</table>`
  const target = linkOf(message)
  const isAboutSlo = slo !== null && target?.url === slo.link
  const linkText = isAboutSlo ? `Open ${slo.data.slo_name} in nines` : (target?.label ?? '')
  const link = target ? `<p><a href="${escaped(target.url)}">${escaped(linkText)}</a></p>` : ''
  const unsubscribeLink =
    unsubscribe === undefined ? '' : `<p><a href="${escaped(unsubscribe)}">Get no more of these mails</a></p>`
  const headingStyle = `border-left:4px solid ${hexColourOf(message)};padding-left:12px`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
</head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;line-height:1.5">
<div style="max-width:600px;margin:0 auto">
<h1 style="font-size:18px;${headingStyle}">${escaped(subject)}</h1>
<p>${lines(text)}</p>
${table}
${link}
${unsubscribeLink}
</div>
</body>
</html>
`
}

/** Figures of the worst SLOs of a report. */
function reportTable({ figures, left_out: leftOut }: NonNullable<Message['report']>): string {
  if (figures.length === 0) return ''
  const th = (text: string, align: string) =>
    `<th scope="col" style="text-align:${align};font-size:12px;padding:4px 12px 4px 0;border-bottom:1px solid #8888">${text}</th>`
  const td = (text: string, align: string, style = '') =>
    `<td style="text-align:${align};vertical-align:top;padding:4px 12px 4px 0;border-bottom:1px solid #8884;${style}">${escaped(text)}</td>`
  const noWrap = 'white-space:nowrap'
  const rows = figures.map(({ slo_name, sli, target, budget_used, met }) => {
    const word = met === null ? 'Not known' : met ? 'Met' : 'Missed'
    const strong = met === false ? `${noWrap};font-weight:600` : noWrap
    const numbers = [sli, target, budget_used].map((text) => td(text, 'right', noWrap)).join('')
    return `<tr>${td(slo_name, 'left')}${td(word, 'left', strong)}${numbers}</tr>`
  })
  const heads = ['SLI', 'Target', 'Budget used'].map((text) => th(text, 'right')).join('')
  const more = leftOut === 0 ? '' : `\n<p>And ${leftOut} more in the report.</p>`
  return `<table style="border-collapse:collapse;font-size:14px">
<tr>${th('SLO', 'left')}${th('Result', 'left')}${heads}</tr>
${rows.join('\n')}
</table>${more}`
}

function rowsOf(data: SloData, times: TimeWriter): [name: string, value: string][] {
  const { current_value: current, error_budget_remaining: remaining, alert } = data
  if (isOfIncident(data))
    return [
      ['SLO', data.slo_name],
      ['Target', `${data.target} % over ${spellWindow(data.time_window)}`],
    ]
  const measuredRows: [string, string | null][] = [
    ['Status', data.status],
    ['SLI', current === null ? 'no data' : `${formatSli(current)} %`],
    ['Target', `${data.target} % over ${spellWindow(data.time_window)}`],
    ['Error budget remaining', remaining === null ? null : `${formatShare(remaining)} %`],
  ]
  const rows: [string, string | null][] = [
    ['SLO', data.slo_name],
    ['Description', data.description],
    ...measuredRows,
    ...(alert ? rowsOfAlert(alert, times) : []),
    ['Labels', formatLabels(data.labels)],
    ['Measured at', data.measured_at && times.minute(data.measured_at)],
  ]
  return rows.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []))
}

function rowsOfAlert(alert: AlertData, times: TimeWriter): [string, string | null][] {
  const { severity, began_at, ended_at, threshold, burn_rate, acknowledged } = alert
  return [
    ['Severity', severity],
    ['Budget threshold', threshold === null ? null : `${threshold} %`],
    ...(burn_rate ? rowsOfBurnRate(burn_rate) : []),
    ['Began at', times.minute(began_at)],
    ['Ended at', ended_at && times.minute(ended_at)],
    ['Acknowledged by', acknowledged?.by ?? null],
    ['Acknowledged at', acknowledged && times.minute(acknowledged.at)],
  ]
}

function rowsOfBurnRate(rate: NonNullable<AlertData['burn_rate']>): [string, string][] {
  return [
    [`Burn rate over ${spellWindow(rate.long_window)}`, formatNumber(rate.long)],
    [`Burn rate over ${spellWindow(rate.short_window)}`, formatNumber(rate.short)],
    ['Burn rate of the alert', formatNumber(rate.factor)],
  ]
}

function head(text: string): string {
  return `<th scope="row" style="text-align:left;vertical-align:top;font-weight:600;padding:4px 16px 4px 0">${escaped(text)}</th>`
}

function cell(text: string): string {
  return `<td style="vertical-align:top;padding:4px 0">${lines(text)}</td>`
}

function lines(text: string): string {
  return escaped(text).replace(/\r?\n/g, '<br>\n')
}
