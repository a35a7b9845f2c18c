import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal, type Shown } from './refusal.ts'

const failure = (status: number, code: string, message: string) => ({ status, body: { error: { code, message } } })

/** Answers of a workflow trigger. Sources: learn.microsoft.com/azure/logic-apps (limits, trigger errors). */
export const teamsRefusals = {
  bad_schema: { ...failure(400, 'TriggerInputSchemaMismatch', 'The input body does not match.'), outcome: 'failed' },
  bad_signature: {
    ...failure(401, 'DirectApiAuthorizationRequired', 'The request must be authenticated.'),
    outcome: 'failed',
  },
  disabled: { ...failure(400, 'WorkflowTriggerIsNotEnabled', 'The trigger is not enabled.'), outcome: 'failed' },
  not_found: { ...failure(404, 'WorkflowNotFound', 'The workflow could not be found.'), outcome: 'failed' },
  too_large: { ...failure(413, 'RequestEntityTooLarge', 'Request Entity too large'), outcome: 'failed' },
  too_many: { ...failure(429, 'WorkflowRunTooManyRequests', 'Too many requests.'), outcome: 'retry' },
  too_many_until: {
    ...failure(429, 'WorkflowRunTooManyRequests', 'Too many requests.'),
    headers: { 'retry-after': '12' },
    outcome: 'retry',
    retryAfterMs: 12_000,
  },
  unavailable: { ...failure(503, 'ServiceUnavailable', 'Try again.'), outcome: 'retry' },
  gateway_timeout: { status: 504, body: '<html></html>', outcome: 'retry' },
} as const satisfies Record<string, Refusal>

export type Teams = Receiver & {
  webhookUrl: string
  /** Messages as users see them, in order. */
  shown: Shown[]
  refuse(...refusals: Refusal[]): void
}

const path = '/workflows/0123456789abcdef/triggers/manual/paths/invoke'
const query = '?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=aVerySecretSignature'

/** Accepts adaptive cards of version 1.4 with the elements that nines uses, at most 28 KB. Answers 202. */
export function startTeams(): Teams {
  const shown: Shown[] = []
  const receiver = startReceiver((request) => {
    const refusal = refusalOf(request)
    if (refusal) return refuse(teamsRefusals[refusal])
    shown.push(seen(request.json.attachments[0].content))
    return new Response(null, { status: 202 })
  })

  function refusalOf({ method, path: asked, headers, json, text }: Received): keyof typeof teamsRefusals | null {
    if (method !== 'POST' || !asked.startsWith(path)) return 'not_found'
    if (asked !== path + query) return 'bad_signature'
    if (Buffer.byteLength(text) > 28 * 1024) return 'too_large'
    if (!headers.get('content-type')?.startsWith('application/json')) return 'bad_schema'
    const [attachment, ...more] = json?.attachments ?? []
    if (json?.type !== 'message' || more.length > 0 || attachment?.contentUrl !== null) return 'bad_schema'
    if (attachment.contentType !== 'application/vnd.microsoft.card.adaptive') return 'bad_schema'
    return isCard(attachment.content) ? null : 'bad_schema'
  }

  return {
    ...receiver,
    webhookUrl: receiver.url + path + query,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

// oxlint-disable typescript/no-explicit-any -- a payload of unknown shape is checked
function isCard({ $schema, type, version, body, actions = [], fallbackText, msteams, ...other }: any): boolean {
  return (
    $schema === 'http://adaptivecards.io/schemas/adaptive-card.json' &&
    type === 'AdaptiveCard' &&
    version === '1.4' &&
    isText(fallbackText) &&
    msteams.width === 'Full' &&
    Object.keys(other).length === 0 &&
    body.length > 0 &&
    body.every(isElement) &&
    actions.every((action: any) => action.type === 'Action.OpenUrl' && isText(action.title) && URL.canParse(action.url))
  )
}

const runKeys = new Set(['type', 'text', 'size', 'weight', 'color', 'isSubtle'])

function isElement({ type, inlines, facts }: any): boolean {
  if (type === 'FactSet')
    return facts.length > 0 && facts.every((fact: any) => isText(fact.title) && isText(fact.value))
  const isRun = (run: any) =>
    run.type === 'TextRun' &&
    isText(run.text) &&
    !run.text.includes('\n') &&
    Object.keys(run).every((key) => runKeys.has(key)) &&
    ['attention', 'warning', 'good', 'default', undefined].includes(run.color)
  return type === 'RichTextBlock' && inlines.length === 1 && inlines.every(isRun)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function seen({ body, actions = [] }: any): Shown {
  const runs = body.filter(({ type }: any) => type === 'RichTextBlock').map(({ inlines }: any) => inlines[0])
  const facts = body.flatMap((element: any) => element.facts ?? [])
  const name = runs.find(({ isSubtle }: any) => isSubtle)?.text
  return {
    title: runs[0].text,
    link: actions[0]?.url ?? null,
    text: runs
      .slice(name === undefined ? 1 : 2)
      .map(({ text }: any) => text)
      .join('\n'),
    data: {
      ...(name !== undefined && { SLO: name }),
      ...Object.fromEntries(facts.map(({ title, value }: any) => [title, value])),
    },
    colour: runs[0].color,
  }
}
