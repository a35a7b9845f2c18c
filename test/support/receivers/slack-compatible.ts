import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

/** A product with Slack-compatible incoming webhooks. `shown`: messages as users see them. */
export type SlackCompatible = Receiver & { webhookUrl: string; shown: { channel: string | undefined; text: string }[] }

type Product = {
  path: string
  refuses(request: Received): Refusal | null
  answers: object | string
}

// oxlint-disable typescript/no-explicit-any -- a payload of unknown shape is checked
const attachmentOf = ({ json }: Received): any => json?.attachments?.[0]
const isText = (value: unknown, max: number) => typeof value === 'string' && value.length <= max
const areFields = (fields: any) =>
  Array.isArray(fields) &&
  fields.every(
    ({ title, value, short }: any) => isText(title, 300) && isText(value, 4000) && typeof short === 'boolean',
  )

/**
 * Mattermost: docs, "Incoming webhooks", "Message attachments". Unknown fields are ignored; texts may have 16,383 characters.
 */
const mattermost: Product = {
  path: '/hooks/xxx-s3cretKey',
  answers: 'ok',
  refuses(request) {
    const message = (text: string) => ({ id: 'web.incoming_webhook.error', message: text, status_code: 400 })
    const { channel } = request.json ?? {}
    if (channel !== undefined && !/^[#@]?(?:town-square|ada)$/.test(channel)) {
      return { status: 404, body: { ...message("Couldn't find the channel."), status_code: 404 }, outcome: 'failed' }
    }
    const { title, text, fallback, fields, color } = attachmentOf(request) ?? {}
    const isRight = isText(title, 16_383) && isText(text, 16_383) && isText(fallback, 16_383) && areFields(fields)
    return isRight && /^#[0-9a-f]{6}$/.test(color)
      ? null
      : { status: 400, body: message('Unable to parse incoming data.'), outcome: 'failed' }
  },
}

/** Rocket.Chat: docs, "Incoming webhooks": 200 and success, or 400 and an error. `ts` must be a string or an integer. */
const rocketChat: Product = {
  path: '/hooks/5a1b/s3cretKey',
  answers: { success: true },
  refuses(request) {
    const { title, text, fields, ts, title_link } = attachmentOf(request) ?? {}
    const isLink = title_link === undefined || URL.canParse(title_link)
    const isRight = isText(title, 5000) && isText(text, 5000) && areFields(fields) && Number.isInteger(ts) && isLink
    if (!isRight) return { status: 400, body: { success: false, error: 'error-invalid-attachment' }, outcome: 'failed' }
    const { channel } = request.json
    const isThere = channel === undefined || /^[#@]/.test(channel)
    return isThere ? null : { status: 400, body: { success: false, error: 'invalid-channel' }, outcome: 'failed' }
  },
}

/**
 * Zulip: docs, "Slack-compatible webhook": the stream is in the URL and the channel becomes the topic. Errors are like Slack's.
 */
const zulip: Product = {
  path: '/api/v1/external/slack_incoming?api_key=s3cretKey&stream=ops',
  answers: { result: 'success', msg: '', ok: true },
  refuses(request) {
    const { title, text, fields } = attachmentOf(request) ?? {}
    const isRight = isText(title, 10_000) && isText(text, 10_000) && areFields(fields)
    return isRight ? null : { status: 400, body: { ok: false, error: 'invalid_payload' }, outcome: 'failed' }
  },
}

export const slackCompatible = { mattermost, rocketChat, zulip }

export function startSlackCompatible({ path, refuses, answers }: Product): SlackCompatible {
  const shown: SlackCompatible['shown'] = []
  const receiver = startReceiver((request) => {
    if (request.method !== 'POST' || request.path !== path) return new Response('Not found', { status: 404 })
    const refusal = refuses(request)
    if (refusal) return refuse(refusal)
    const { title, text, fields } = attachmentOf(request)
    const lines = fields.map((field: any) => `${field.title}: ${field.value}`)
    shown.push({ channel: request.json.channel, text: [title, text, ...lines].join('\n') })
    return typeof answers === 'string' ? new Response(answers) : Response.json(answers)
  })
  return { ...receiver, webhookUrl: receiver.url + path, shown }
}
