import type { ChannelType, ConfigurationInput, Outcome } from '../../../src/notifications/channels/channel.ts'
import { discord } from '../../../src/notifications/channels/chat/discord.ts'
import { googleChat } from '../../../src/notifications/channels/chat/google-chat.ts'
import { matrix } from '../../../src/notifications/channels/chat/matrix.ts'
import { slack } from '../../../src/notifications/channels/chat/slack.ts'
import { teams } from '../../../src/notifications/channels/chat/teams.ts'
import { telegram } from '../../../src/notifications/channels/chat/telegram.ts'
import { opsgenie } from '../../../src/notifications/channels/incident/opsgenie.ts'
import { pagerduty } from '../../../src/notifications/channels/incident/pagerduty.ts'
import { apprise } from '../../../src/notifications/channels/push/apprise.ts'
import { gotify } from '../../../src/notifications/channels/push/gotify.ts'
import { ntfy } from '../../../src/notifications/channels/push/ntfy.ts'
import { pushover } from '../../../src/notifications/channels/push/pushover.ts'
import type { Answerer, Receiver } from '../../support/receiver.ts'
import { appriseRefusals, startApprise } from '../../support/receivers/apprise.ts'
import { discordRefusals, startDiscord } from '../../support/receivers/discord.ts'
import { googleChatRefusals, startGoogleChat } from '../../support/receivers/google-chat.ts'
import { gotifyRefusals, startGotify } from '../../support/receivers/gotify.ts'
import { matrixRefusals, startMatrix } from '../../support/receivers/matrix.ts'
import { ntfyRefusals, startNtfy } from '../../support/receivers/ntfy.ts'
import { genie, jsm, opsgenieRefusals, startOpsgenie, startOpsgenieJsm } from '../../support/receivers/opsgenie.ts'
import { pagerdutyRefusals, routingKey, startPagerDuty } from '../../support/receivers/pagerduty.ts'
import { pushoverRefusals, startPushover } from '../../support/receivers/pushover.ts'
import type { Refusal } from '../../support/receivers/refusal.ts'
import { slackRefusals, startSlack } from '../../support/receivers/slack.ts'
import { startTeams, teamsRefusals } from '../../support/receivers/teams.ts'
import { startTelegram, telegramRefusals } from '../../support/receivers/telegram.ts'

/** Behaviour that every channel has in common, with what differs: for `contract.test.ts`. */
export type Contract<R extends Receiver = Receiver> = {
  type: ChannelType
  start: () => R
  configuration(receiver: R): ConfigurationInput
  accepted: Extract<Outcome, { outcome: 'delivered' | 'sent' }>
  /** Documented answers other than success. */
  refusals: Record<string, Refusal>
  /** Changes of the configuration that the receiver refuses for good, and what the error says. */
  denied?(receiver: R): [changes: ConfigurationInput, statusCode: number, said: string][]
  /** An answer that repeats the secrets of the configuration; `error`: how the error in the history begins. */
  repeats: { secrets: RegExp; answer: Answerer; changes?: ConfigurationInput; error?: string }
  /** Answers that acknowledge a message, besides the usual one. */
  accepts?: [status: number, body: string | null][]
  /** User-written texts of the last message as users see them: subject, text and, of a chat, the name of the SLO. */
  texts?(receiver: R): string[]
  /** Further facts about a message whose texts contain markup. */
  markup?(receiver: R): [actual: unknown, expected: unknown][]
  /** Texts of one unit repeated so often are cut; `size` of the last message is within [min, max]. Absent: a text stays whole. */
  cut?: { units: string[]; times: number; size(receiver: R, unit: string): [size: number, min: number, max: number] }
}

/** Keeps the type of the receiver within a contract. */
function contract<R extends Receiver>(of: Contract<R>): Contract {
  return of
}

const delivered = { outcome: 'delivered', statusCode: 200 } as const
const anyAnswer: [number, string | null][] = [
  [200, '{"success":true}'],
  [200, ''],
  [202, 'queued'],
  [204, null],
]
const shortest = (texts: string[]) => Math.min(...texts.map(({ length }) => length))
const withoutMark = (title = '') => title.replace(/^🔴 /u, '')
const bytesOf = ({ received }: Receiver) => Buffer.byteLength(received.at(-1)?.text ?? '')
const cannotPost: Answerer = ({ path }) => new Response(`Cannot POST ${path}`, { status: 404 })
const noSuchPath: Answerer = ({ path }) => Response.json({ error: { message: `no ${path}` } }, { status: 404 })

function opsgenieContract(mode: typeof genie | typeof jsm): Contract {
  const wrong = mode.mode === 'genie' ? { api_key: 'wr0ng-key' } : { api_token: 'wr0ng-key' }
  return contract({
    type: opsgenie,
    start: mode.mode === 'genie' ? startOpsgenie : startOpsgenieJsm,
    configuration: ({ url }) => ({ ...mode, api_url: url }),
    accepted: { outcome: 'delivered', statusCode: 202 },
    refusals: opsgenieRefusals,
    denied: () => [[wrong, 401, 'Could not authenticate']],
    repeats: {
      secrets: /eb243592|ATATT3|QVRBVFQz/,
      answer: ({ headers }) => Response.json({ message: `no ${headers.get('authorization')}` }, { status: 401 }),
    },
  })
}

export const contracts: Record<string, Contract> = {
  Slack: contract({
    type: slack,
    start: startSlack,
    configuration: (chat) => ({ webhook_url: chat.webhookUrl }),
    accepted: delivered,
    refusals: slackRefusals,
    accepts: anyAnswer,
    denied: (chat) => [
      [{ webhook_url: `${chat.webhookUrl}x` }, 403, 'invalid_token'],
      [{ webhook_url: `${chat.url}/x` }, 404, 'no_service'],
    ],
    repeats: { secrets: /services|T0123ABCD|aVerySecretKey/, answer: cannotPost },
    texts: ({ shown }) => shown.slice(-1).flatMap(({ title, text, data }) => [title, text, data.SLO ?? '']),
    cut: {
      units: ['&', '<', '🔥', 'a&', '🔥<b'],
      times: 5000,
      size: ({ shown }) => [shortest(shown.slice(-1).flatMap(({ title, text }) => [title, text])), 181, 4000],
    },
  }),
  Discord: contract({
    type: discord,
    start: startDiscord,
    configuration: (chat) => ({ webhook_url: chat.webhookUrl }),
    accepted: delivered,
    refusals: discordRefusals,
    accepts: anyAnswer,
    denied: (chat) => [
      [{ webhook_url: `${chat.webhookUrl}x` }, 401, 'Invalid Webhook Token'],
      [{ webhook_url: `${chat.url}/x` }, 404, 'Unknown Webhook'],
    ],
    repeats: { secrets: /webhooks|123456789012345678|secret/, answer: cannotPost },
    texts: ({ shown }) => shown.slice(-1).flatMap(({ title, text, data }) => [title, text, data.SLO ?? '']),
    markup: ({ received }) => [[received[0]?.json.allowed_mentions, { parse: [] }]],
    cut: {
      units: ['x', '🔥', 'x🔥', '*', '\\', '[x'],
      times: 6000,
      size: ({ received }) => {
        const [{ title, description, fields }] = received.at(-1)?.json.embeds ?? [{}]
        return [shortest([title, description, fields[0].value]), 191, 4096]
      },
    },
  }),
  Telegram: contract({
    type: telegram,
    start: startTelegram,
    configuration: (chat) => ({ bot_token: chat.token, chat_id: -1_001_234_567_890, api_url: chat.url }),
    accepted: delivered,
    refusals: telegramRefusals,
    denied: () => [
      [{ bot_token: '123456:wrong' }, 401, 'Unauthorized'],
      [{ chat_id: -5 }, 400, 'Bad Request: chat not found'],
      [{ message_thread_id: 4 }, 400, 'Bad Request: message thread not found'],
    ],
    repeats: { secrets: /123456|Secret/, answer: cannotPost },
    texts: ({ shown }) => {
      const [title, text = '', end = ''] = shown.at(-1)?.text.split('\n\n') ?? []
      return [withoutMark(title), text, end.split('\n')[0]?.replace('SLO: ', '') ?? '']
    },
    cut: {
      units: ['x', '&', '<b>', '🔥', 'x🔥'],
      times: 5000,
      size: ({ shown }) => [shown.at(-1)?.text.length ?? 0, 4090, 4096],
    },
  }),
  Teams: contract({
    type: teams,
    start: startTeams,
    configuration: (chat) => ({ webhook_url: chat.webhookUrl }),
    accepted: { outcome: 'sent', statusCode: 202 },
    refusals: teamsRefusals,
    denied: (chat) => [[{ webhook_url: `${chat.webhookUrl}x` }, 401, 'The request must be authenticated.']],
    repeats: { secrets: /0123456789abcdef|aVerySecretSignature/, answer: noSuchPath },
    texts: ({ shown }) => shown.slice(-1).flatMap(({ title, text, data }) => [title, text, data.SLO ?? '']),
    markup: ({ received }) => [
      [JSON.stringify(received[0]?.json.attachments[0].content.body.at(-1)).includes('evil.example'), false],
    ],
    cut: {
      units: ['x', 'ü', '🔥', '"', 'a\n', '\n\nüber\n'],
      times: 30_000,
      size: ({ received }, unit) => [received.at(-1)?.text.length ?? 0, unit === 'x' ? 24_001 : 6001, 25_000],
    },
  }),
  'Google Chat': contract({
    type: googleChat,
    start: startGoogleChat,
    configuration: (chat) => ({ webhook_url: chat.webhookUrl }),
    accepted: delivered,
    refusals: googleChatRefusals,
    denied: (chat) => [[{ webhook_url: `${chat.webhookUrl}x` }, 401, '']],
    repeats: { secrets: /AAAAabcdefg|VerySecret/, answer: noSuchPath },
    texts: ({ shown }) =>
      shown.slice(-1).flatMap(({ title, text, fields }) => [withoutMark(title), text, String(fields['SLO'])]),
    markup: ({ received }) => [[JSON.stringify(received[0]?.json.cardsV2[0].card.sections).includes('<users'), false]],
    cut: {
      units: ['x', 'ü', '🔥', '<', 'a\n'],
      times: 40_000,
      size: (chat) => [bytesOf(chat), 29_900, 30_000],
    },
  }),
  Matrix: contract({
    type: matrix,
    start: startMatrix,
    configuration: (chat) => ({ homeserver_url: chat.url, access_token: chat.token, room_id: chat.room }),
    accepted: delivered,
    refusals: matrixRefusals,
    denied: () => [
      [{ access_token: 'other' }, 401, 'Unrecognised access token'],
      [{ room_id: '!other:example.org' }, 403, 'User not in room'],
    ],
    repeats: {
      secrets: /s3cretToken/,
      answer: ({ headers }) => Response.json({ error: `no ${headers.get('authorization')}` }, { status: 401 }),
      error: 'the receiver answered 401: no Bearer ********',
    },
    texts: ({ events }) => {
      const [title, text = '', fields = ''] = String(events.at(-1)?.content.body).split('\n\n')
      return [withoutMark(title), text, fields.split('\n')[0]?.replace('SLO: ', '') ?? '']
    },
    markup: ({ events }) => [
      [String(events[0]?.content.formatted_body).includes('&lt;b&gt;a&lt;/b&gt; &lt; b &amp;&amp; c'), true],
      [events[0]?.content['m.mentions'], {}],
    ],
    cut: { units: ['x', 'ü', '🔥', '<', '"\n'], times: 40_000, size: (chat) => [bytesOf(chat), 59_000, 60_000] },
  }),
  PagerDuty: contract({
    type: pagerduty,
    start: startPagerDuty,
    configuration: ({ url }) => ({ routing_key: routingKey, api_url: url }),
    accepted: { outcome: 'delivered', statusCode: 202 },
    refusals: pagerdutyRefusals,
    denied: () => [[{ routing_key: 'X'.repeat(32) }, 400, 'is of no integration']],
    repeats: {
      secrets: new RegExp(routingKey),
      answer: ({ json }) => Response.json({ message: `no ${json.routing_key}` }, { status: 400 }),
      error: 'the receiver answered 400: no ********',
    },
  }),
  Opsgenie: opsgenieContract(genie),
  'Jira Service Management': opsgenieContract(jsm),
  ntfy: contract({
    type: ntfy,
    start: startNtfy,
    configuration: ({ url }) => ({ server_url: url, topic: 'alerts' }),
    accepted: delivered,
    refusals: ntfyRefusals,
    repeats: {
      secrets: /s3cret|czNjcmV0/,
      changes: { topic: 'my-s3cret-topic', username: 'nines', password: 's3cretWord' },
      answer: ({ json, headers }) =>
        Response.json({ error: `no ${json.topic} for ${headers.get('authorization')}` }, { status: 403 }),
    },
    texts: ({ shown }) => [...shown.values()].slice(-1).flatMap(({ title, message }) => [title, message]),
    cut: {
      units: ['x', 'ü', '🔥', 'x🔥'],
      times: 5000,
      size: ({ shown }) => [Buffer.byteLength([...shown.values()].at(-1)?.message ?? ''), 4089, 4096],
    },
  }),
  Gotify: contract({
    type: gotify,
    start: startGotify,
    configuration: (phone) => ({ server_url: phone.url, app_token: phone.token }),
    accepted: delivered,
    refusals: gotifyRefusals,
    denied: () => [[{ app_token: 'other' }, 401, '']],
    repeats: {
      secrets: /Q3cretOfApp/,
      answer: ({ headers }) => Response.json({ error: `no ${headers.get('x-gotify-key')}` }, { status: 401 }),
      error: 'the receiver answered 401: no ********',
    },
    texts: ({ shown }) => shown.slice(-1).flatMap(({ title, message }) => [title, message]),
  }),
  Pushover: contract({
    type: pushover,
    start: startPushover,
    configuration: (phone) => ({ app_token: phone.token, user_key: phone.user, api_url: phone.url }),
    accepted: delivered,
    refusals: pushoverRefusals,
    denied: () => [[{ app_token: 'a'.repeat(30) }, 400, 'application token is invalid']],
    repeats: {
      secrets: /azGDOR|uQiRzp/,
      answer: ({ text }) => Response.json({ errors: [text.slice(0, 90)] }, { status: 400 }),
      error: 'the receiver answered 400: token=********&user=********&title=',
    },
    texts: ({ shown }) => shown.slice(-1).flatMap(({ title, message }) => [title, message]),
    cut: {
      units: ['x', '🔥', 'x🔥', '&'],
      times: 2000,
      size: ({ shown }) => [shown.at(-1)?.message.length ?? 0, 1023, 1024],
    },
  }),
  Apprise: contract({
    type: apprise,
    start: startApprise,
    configuration: ({ url }) => ({ api_url: url, key: 'ops' }),
    accepted: { outcome: 'sent', statusCode: 200 },
    refusals: appriseRefusals,
    repeats: {
      secrets: /s3cret/,
      changes: { key: undefined, urls: 'tgram://123456:s3cretOfBot/42', headers: { 'X-Key': 's3cretOfProxy' } },
      answer: ({ json, headers }) => Response.json({ error: `${json.urls} ${headers.get('x-key')}` }, { status: 400 }),
    },
    texts: ({ shown }) =>
      shown.slice(-1).flatMap(({ title, body }) => [title, body.replace('\n\nhttps://nines.example/slos/7', '')]),
  }),
}
