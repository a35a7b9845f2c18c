import { defineChannel, type Message, type Outcome } from '../channel.ts'
import { sloFields, titleOf, type Tone, toneOf } from '../chat-text.ts'
import { httpUrl, required } from '../configuration.ts'
import { cut, cutTo, exchange, outcomeOf } from '../http.ts'

/**
 * Webhooks of Microsoft Teams, made by the app Workflows ("When a Teams webhook request is received"): the URL is the
 * credential. A message is an Adaptive Card. The workflow answers 202 and posts afterwards, so that is `sent`. A card cannot be
 * changed later: a recovery is a card of its own.
 * Sources: learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors, adaptivecards.io/explorer.
 */
export const teams = defineChannel({
  product: null,
  read: (given) => ({
    webhook_url: required(given, 'webhook_url', httpUrl, 'must be the URL of a workflow of Teams'),
  }),
  secrets: ['webhook_url'],
  destinations: [],
  opensIncidents: false,

  async send(deps, { webhook_url }, message, signal) {
    const got = await exchange(deps, webhook_url, { body: bodyOf(message) }, signal)
    return 'broken' in got ? got.broken : taken(outcomeOf(got.answer, deps))
  },
})

/** A relay has it: whether Teams shows it, only the run history of the workflow says. */
function taken(outcome: Outcome): Outcome {
  return outcome.outcome === 'delivered' && outcome.statusCode === 202 ? { ...outcome, outcome: 'sent' } : outcome
}

/** Teams refuses a message of more than about 28 KB; the workflow wraps the card in more of its own. */
const maxBytes = 25_000
const maxTitle = 500
const maxName = 300
const maxLines = 100

const colours: Record<Tone, string> = { red: 'attention', amber: 'warning', green: 'good', grey: 'default' }

function bodyOf(message: Message): string {
  const body = (text: string) => JSON.stringify(payload(message, text))
  return body(cutTo(message.text.trim(), (text) => Buffer.byteLength(body(text)) <= maxBytes))
}

function payload(message: Message, text: string) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    fallbackText: cut(titleOf(message), maxTitle),
    body: elementsOf(message, text),
    ...(message.slo && { actions: [{ type: 'Action.OpenUrl', title: 'Open the SLO', url: message.slo.link }] }),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
}

/** What people wrote stands in text runs alone, which know no Markdown; the facts are numbers and words of nines. */
function elementsOf(message: Message, text: string) {
  const title = cut(titleOf(message), maxTitle)
  const facts = sloFields(message).filter(({ name }) => name !== 'SLO')
  return [
    paragraph({ text: title, size: 'Medium', weight: 'Bolder', color: colours[toneOf(message)] }),
    ...(message.slo ? [paragraph({ text: cut(message.slo.data.slo_name, maxName), isSubtle: true })] : []),
    ...linesOf(text).map((line) => paragraph({ text: line })),
    ...(facts.length > 0 ? [{ type: 'FactSet', facts: facts.map(({ name, value }) => ({ title: name, value })) }] : []),
  ]
}

function paragraph(run: { text: string; size?: string; weight?: string; color?: string; isSubtle?: boolean }) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] }
}

/** Each line is a paragraph, for a line break within a run is not one everywhere; what is too many goes into the last. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), lines.slice(maxLines - 1).join(' ')]
}
