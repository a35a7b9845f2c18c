import { defineChannel, linkOf, type Message, type Outcome } from '../channel.ts'
import { sloFields, titleOf, type Tone, toneOf } from '../chat-text.ts'
import { readFields } from '../configuration.ts'
import { teams as schema } from '../schemas/chat.ts'
import { truncate, truncateToFit, exchange, outcomeOf } from '../http.ts'

/**
 * Webhooks of Microsoft Teams, created with the Workflows app ("When a Teams webhook request is received"); the URL is the
 * credential. A message is an Adaptive Card. The workflow answers 202 and posts later, so the outcome is `sent`. A card cannot
 * be changed later, so a recovery is a separate card.
 * Sources: learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors, adaptivecards.io/explorer.
 */
export const teams = defineChannel({
  product: null, // the API has no other name for the type
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: false,

  async send(deps, { webhook_url }, message, signal) {
    const exchanged = await exchange(deps, webhook_url, { body: bodyOf(message) }, signal)
    return 'failure' in exchanged ? exchanged.failure : acceptedOutcome(outcomeOf(exchanged.answer, deps))
  },
})

/** Outcome with 202 as `sent`: only the run history of the workflow shows whether Teams posted the card. */
function acceptedOutcome(outcome: Outcome): Outcome {
  return outcome.outcome === 'delivered' && outcome.statusCode === 202 ? { ...outcome, outcome: 'sent' } : outcome
}

/** Limit for the payload: Teams refuses messages above about 28 KB, and the workflow adds its own fields around the card. */
const maxBytes = 25_000
const maxTitle = 500
const maxName = 300
const maxLines = 100

const colours: Record<Tone, string> = { red: 'attention', amber: 'warning', green: 'good', grey: 'default' }

function bodyOf(message: Message): string {
  const body = (text: string) => JSON.stringify(payload(message, text))
  return body(truncateToFit(message.text.trim(), (text) => Buffer.byteLength(body(text)) <= maxBytes))
}

function payload(message: Message, text: string) {
  const link = linkOf(message)
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    fallbackText: truncate(titleOf(message), maxTitle),
    body: elementsOf(message, text),
    ...(link && { actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }] }),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
}

/** Card elements. User-written text is only in text runs, without Markdown; facts are numbers and words from nines. */
function elementsOf(message: Message, text: string) {
  const title = truncate(titleOf(message), maxTitle)
  const facts = sloFields(message).filter(({ name }) => name !== 'SLO')
  return [
    paragraph({ text: title, size: 'Medium', weight: 'Bolder', color: colours[toneOf(message)] }),
    ...(message.slo ? [paragraph({ text: truncate(message.slo.data.slo_name, maxName), isSubtle: true })] : []),
    ...linesOf(text).map((line) => paragraph({ text: line })),
    ...(facts.length > 0 ? [{ type: 'FactSet', facts: facts.map(({ name, value }) => ({ title: name, value })) }] : []),
  ]
}

function paragraph(run: { text: string; size?: string; weight?: string; color?: string; isSubtle?: boolean }) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] }
}

/** Lines, one paragraph each: not every client shows a line break in a run. Lines beyond `maxLines` are joined into the last. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), lines.slice(maxLines - 1).join(' ')]
}
