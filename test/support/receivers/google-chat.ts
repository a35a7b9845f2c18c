import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal, unescaped } from './refusal.ts'

const failure = (code: number, status: string, message: string) => ({
  status: code,
  body: { error: { code, message, status } },
})

/** Answers of spaces.messages.create, in the error format of Google APIs (google.rpc.Code). */
export const googleChatRefusals = {
  invalid: { ...failure(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.'), becomes: 'failed' },
  bad_token: { ...failure(401, 'UNAUTHENTICATED', 'The request does not have valid credentials.'), becomes: 'failed' },
  denied: { ...failure(403, 'PERMISSION_DENIED', 'The caller does not have permission'), becomes: 'failed' },
  not_found: { ...failure(404, 'NOT_FOUND', 'Requested entity was not found.'), becomes: 'failed' },
  too_many: {
    ...failure(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
    becomes: 'retry',
  },
  server_error: { ...failure(500, 'INTERNAL', 'Internal error encountered.'), becomes: 'retry' },
  unavailable: { ...failure(503, 'UNAVAILABLE', 'The service is currently unavailable.'), becomes: 'retry' },
} as const satisfies Record<string, Refusal>

type Shown = { thread: string; title: string; text: string; fields: Record<string, string>; link: string | undefined }

export type GoogleChat = Receiver & {
  webhookUrl: string
  /** Messages as users see them, in order. */
  shown: Shown[]
  refuse(...refusals: Refusal[]): void
}

const path = '/v1/spaces/AAAAabcdefg/messages'
const key = 'AIzaSyVerySecretKey'
const token = 'aVerySecretToken_1-2'

/** A space that accepts one card per message. A repeated request id is not shown again. */
export function startGoogleChat(): GoogleChat {
  const shown: Shown[] = []
  const requests = new Set<string>()
  const receiver = startReceiver((request) => {
    const url = new URL(request.path, 'http://chat.example')
    const refusal = judge(request, url)
    if (refusal) return refuse(googleChatRefusals[refusal])
    const requestId = url.searchParams.get('requestId') ?? ''
    if (!requests.has(requestId)) shown.push(seen(request.json))
    requests.add(requestId)
    const thread = { name: `spaces/AAAAabcdefg/threads/${request.json.thread.threadKey}` }
    return Response.json({ name: `spaces/AAAAabcdefg/messages/${shown.length}`, thread })
  })

  function judge(
    { method, json, text }: Received,
    { pathname, searchParams }: URL,
  ): keyof typeof googleChatRefusals | null {
    if (method !== 'POST' || pathname !== path) return 'not_found'
    if (searchParams.get('key') !== key || searchParams.get('token') !== token) return 'bad_token'
    if (Buffer.byteLength(text) > 32_000) return 'invalid'
    const option = searchParams.get('messageReplyOption')
    const names = [...searchParams.keys()].toSorted().join(' ')
    if (option !== 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' || names !== 'key messageReplyOption requestId token') {
      return 'invalid'
    }
    if (Object.keys(json).toSorted().join(' ') !== 'cardsV2 thread' || json.cardsV2.length !== 1) return 'invalid'
    return isCard(json.cardsV2[0].card) && /^.{1,4000}$/.test(json.thread.threadKey) ? null : 'invalid'
  }

  return {
    ...receiver,
    webhookUrl: `${receiver.url}${path}?key=${key}&token=${token}`,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

// oxlint-disable typescript/no-explicit-any -- judging it is the point
function isCard({ header, sections }: any): boolean {
  const isText = (text: unknown) => typeof text === 'string' && text !== ''
  const isWidget = ({ textParagraph, decoratedText, buttonList, ...other }: any) =>
    Object.keys(other).length === 0 &&
    (textParagraph === undefined || isText(textParagraph.text)) &&
    (decoratedText === undefined || (isText(decoratedText.text) && isText(decoratedText.topLabel))) &&
    (buttonList === undefined || buttonList.buttons.every((one: any) => URL.canParse(one.onClick.openLink.url)))
  return isText(header.title) && sections.every(({ widgets }: any) => widgets.length > 0 && widgets.every(isWidget))
}

function seen({ thread, cardsV2 }: any): Shown {
  const { header, sections } = cardsV2[0].card
  const widgets = sections.flatMap(({ widgets: inside }: any) => inside)
  const texts = widgets.flatMap(({ textParagraph }: any) => textParagraph?.text ?? [])
  const fields = widgets.flatMap(({ decoratedText }: any) => decoratedText ?? [])
  const buttons = widgets.flatMap(({ buttonList }: any) => buttonList?.buttons ?? [])
  return {
    thread: thread.threadKey,
    title: header.title,
    text: texts.map((text: string) => unescaped(text.replaceAll('<br>', '\n'))).join('\n'),
    fields: Object.fromEntries(fields.map(({ topLabel, text }: any) => [topLabel, unescaped(text)])),
    link: buttons[0]?.onClick.openLink.url,
  }
}
