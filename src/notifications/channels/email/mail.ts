import { createHash } from 'node:crypto'
import { cleanLines, visibleLine, withoutLinks } from '../../../mail.ts'
import type { ChannelDeps, Message } from '../channel.ts'
import { titleOf } from '../chat-text.ts'
import { htmlPart, textPart } from './body.ts'
import { cut } from '../http.ts'

const maxSubject = 250

/** `isPlain`: the mail holds no links but those of nines. `unsubscribe`: the link for a recipient who wants no more mails. */
export type Envelope = {
  from: string
  to: string[]
  isPlain: boolean
  replyTo?: string | undefined
  unsubscribe?: string
}

export type Mail = ReturnType<typeof mailOf>

/** A message as a mail. An alert and its recovery are one thread. */
export function mailOf(
  { clock }: Pick<ChannelDeps, 'clock'>,
  message: Message,
  { from, to, isPlain, replyTo, unsubscribe }: Envelope,
) {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const clean = isPlain ? withoutLinks : visibleLine
  const subject = cut(clean(titleOf(message)).replace(/\s+/g, ' '), maxSubject)
  const cleaned = { ...cleanedMessage(message, clean), subject }
  const root = mailId('thread', message.threadKey, domain)
  return {
    from: { name: '', address: from },
    to: to.map((address) => ({ name: '', address })),
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    subject,
    text: textPart(cleaned, unsubscribe),
    html: htmlPart(cleaned, unsubscribe),
    date: new Date(clock.now()),
    messageId: mailId('message', message.idempotencyKey, domain),
    inReplyTo: root, // of no mail there is: it stands for the thread
    references: root,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Nines-Event': message.event, ...unsubscribing(unsubscribe) },
  }
}

/** What people wrote, in the text and in the facts; the link to the SLO stays one. */
function cleanedMessage(message: Message, clean: (line: string) => string): Message {
  const { slo } = message
  if (!slo) return { ...message, text: cleanLines(message.text, clean) }
  const { slo_name, description, labels } = slo.facts
  const facts = {
    ...slo.facts,
    slo_name: clean(slo_name),
    description: cleanLines(description, clean),
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [clean(key), clean(value)])),
  }
  const text = cleanLines(message.text, clean).replaceAll(clean(slo.link), () => slo.link)
  return { ...message, text, slo: { ...slo, facts } }
}

/** RFC 2369, and RFC 8058 where the link may be posted to: it asks for https. */
function unsubscribing(link: string | undefined): Record<string, string> {
  if (link === undefined) return {}
  const oneClick = link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { 'List-Unsubscribe': `<${link}>`, ...oneClick }
}

function mailId(kind: string, key: string, domain: string): string {
  return `<${createHash('sha256').update(`${kind} ${key}`).digest('hex').slice(0, 40)}@${domain}>`
}
