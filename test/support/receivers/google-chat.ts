import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal, unescaped } from './refusal.ts'

const failure = (code: number, status: string, message: string) => ({
  status: code,
  body: { error: { code, message, status } },
})

/** Answers of spaces.messages.create, in the error format of Google APIs (google.rpc.Code). */
export const googleChatRefusals = {
  invalid: { ...failure(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.'), outcome: 'failed' },
  bad_token: { ...failure(401, 'UNAUTHENTICATED', 'The request does not have valid credentials.'), outcome: 'failed' },
  denied: { ...failure(403, 'PERMISSION_DENIED', 'The caller does not have permission'), outcome: 'failed' },
  not_found: { ...failure(404, 'NOT_FOUND', 'Requested entity was not found.'), outcome: 'failed' },
  too_many: {
    ...failure(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
    outcome: 'retry',
  },
  server_error: { ...failure(500, 'INTERNAL', 'Internal error encountered.'), outcome: 'retry' },
  unavailable: { ...failure(503, 'UNAVAILABLE', 'The service is currently unavailable.'), outcome: 'retry' },
  another_product: {
    status: 200,
    body: '<html>Welcome</html>',
    outcome: 'failed',
    error: 'the receiver answered 200, but not as Google Chat does',
  },
} as const satisfies Record<string, Refusal>

/** A card: `thread` is its thread key, `fields` are texts by label, `link` is the URL of its first button. */
type ShownCard = {
  thread: string
  title: string
  text: string
  fields: Record<string, string>
  link: string | undefined
}

export type GoogleChat = Receiver & {
  webhookUrl: string
  /** Messages as users see them, in order. */
  shown: ShownCard[]
  /** Sets the answers of the next requests. */
  refuse(...refusals: Refusal[]): void
}

const path = '/v1/spaces/AAAAabcdefg/messages'
const key = 'AIzaSyVerySecretKey'
const token = 'aVerySecretToken_1-2'

/** Starts a space that accepts messages of one card. A repeated request id is not shown again. */
export function startGoogleChat(): GoogleChat {
  const shown: ShownCard[] = []
  const requestIds = new Set<string>()
  const receiver = startReceiver((request) => {
    const url = new URL(request.path, 'http://chat.example')
    const refusal = refusalOf(request, url)
    if (refusal) return refuse(googleChatRefusals[refusal])
    const requestId = url.searchParams.get('requestId') ?? ''
    if (!requestIds.has(requestId)) shown.push(shownCardOf(request.json))
    requestIds.add(requestId)
    const thread = { name: `spaces/AAAAabcdefg/threads/${request.json.thread.threadKey}` }
    return Response.json({ name: `spaces/AAAAabcdefg/messages/${shown.length}`, thread })
  })

  function refusalOf(
    { method, json, text }: Received,
    { pathname, searchParams }: URL,
  ): keyof typeof googleChatRefusals | null {
    if (method !== 'POST' || pathname !== path) return 'not_found'
    if (searchParams.get('key') !== key || searchParams.get('token') !== token) return 'bad_token'
    if (Buffer.byteLength(text) > 32_000) return 'invalid'
    const replyOption = searchParams.get('messageReplyOption')
    const parameterNames = [...searchParams.keys()].toSorted().join(' ')
    if (
      replyOption !== 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' ||
      parameterNames !== 'key messageReplyOption requestId token'
    ) {
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

// oxlint-disable typescript/no-explicit-any -- a payload of unknown shape is checked
function isCard({ header, sections }: any): boolean {
  const isText = (text: unknown) => typeof text === 'string' && text !== ''
  const isWidget = ({ textParagraph, decoratedText, buttonList, ...other }: any) =>
    Object.keys(other).length === 0 &&
    (textParagraph === undefined || isText(textParagraph.text)) &&
    (decoratedText === undefined || (isText(decoratedText.text) && isText(decoratedText.topLabel))) &&
    (buttonList === undefined || buttonList.buttons.every((one: any) => URL.canParse(one.onClick.openLink.url)))
  return isText(header.title) && sections.every(({ widgets }: any) => widgets.length > 0 && widgets.every(isWidget))
}

function shownCardOf({ thread, cardsV2 }: any): ShownCard {
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
