import { headerOf, partsOf, startMailServer } from '../support/mail-server.ts'
import { startTelegram } from '../support/receivers/telegram.ts'
import { type Slack, startSlack } from '../support/receivers/slack.ts'
import { startDiscord } from '../support/receivers/discord.ts'
import { routingKey, startPagerDuty } from '../support/receivers/pagerduty.ts'
import { genie, type Opsgenie, jsm, startOpsgenie, startOpsgenieJsm } from '../support/receivers/opsgenie.ts'
import { startWebhook } from '../support/receivers/webhook.ts'
import { startApprise } from '../support/receivers/apprise.ts'
import { startGoogleChat } from '../support/receivers/google-chat.ts'
import { startGotify } from '../support/receivers/gotify.ts'
import { startMatrix } from '../support/receivers/matrix.ts'
import { startNtfy } from '../support/receivers/ntfy.ts'
import { startPushover } from '../support/receivers/pushover.ts'
import { startTeams } from '../support/receivers/teams.ts'

/** A received notification, as `alert checkout burn_rate:3600:300`; to people it names no alert, some receivers also get times. */
export type ReceivedAlert = { event: string; slo: string; alert: string; began?: string; ended?: string | null }

export type Listener = {
  channel: { channel_type: string; configuration: object }
  /** Everything received, in order. */
  heard(): ReceivedAlert[]
  /** Keys of the incidents open at the receiver; empty if it has no incidents. */
  open(): string[]
  close(): Promise<void>
}

/** Listeners by channel name. `refuseOnce`: sets how the chat `chat_hook_a` answers the next request. */
type Listeners = { listeners: Record<string, Listener>; refuseOnce: Slack['refuse'] }

/** Starts a receiver for every channel type and each of its modes. `now`: Unix seconds. */
export async function startListeners(now: () => number): Promise<Listeners> {
  const slack = startSlack()
  return {
    listeners: {
      email: await mailbox(),
      chat_hook_a: chatRoom('chat_hook_a', slack, { webhook_url: slack.webhookUrl }),
      chat_hook_b: discord(),
      bot_chat: telegram(),
      webhook: webhook(now),
      alertmanager: alertmanager(),
      incident_a: pagerduty(),
      incident_b: opsgenie(startOpsgenie(), genie),
      incident_b_jsm: opsgenie(startOpsgenieJsm(), jsm),
      ...namedByProduct(),
    },
    refuseOnce: slack.refuse,
  }
}

async function mailbox(): Promise<Listener> {
  const server = await startMailServer()
  const smtp = { smtp_server: `127.0.0.1:${server.port}`, smtp_username: 'nines', smtp_password: 'p@ss' }
  return {
    channel: { channel_type: 'email', configuration: { to: 'ops@example.com', ...smtp } },
    heard: () => server.mails.map((mail) => said([headerOf(mail, 'subject'), ...partsOf(mail).flat()].join('\n'))),
    open: () => [],
    close: server.close,
  }
}

function discord(): Listener {
  const receiver = startDiscord()
  return chatRoom('chat_hook_b', receiver, { webhook_url: receiver.webhookUrl })
}

function telegram(): Listener {
  const receiver = startTelegram()
  const configuration = { bot_token: receiver.token, chat_id: '-1001234567890', api_url: receiver.url }
  return chatRoom('bot_chat', receiver, configuration)
}

/** Listeners of the channel types named after their product. */
function namedByProduct(): Record<string, Listener> {
  const [ntfy, teams, gotify, matrix] = [startNtfy(), startTeams(), startGotify(), startMatrix()]
  const [apprise, pushover, googleChat] = [startApprise(), startPushover(), startGoogleChat()]
  const at = { server_url: gotify.url, app_token: gotify.token }
  const room = { homeserver_url: matrix.url, access_token: matrix.token, room_id: matrix.room }
  const phone = { app_token: pushover.token, user_key: pushover.user, api_url: pushover.url }
  const texts = (of: { title: string; message: string }[]) => of.map(({ title, message: text }) => ({ title, text }))
  return {
    ntfy: chatRoom(
      'ntfy',
      shownBy(ntfy, () => texts(ntfy.received.map(({ json }) => json))),
      {
        server_url: ntfy.url,
        topic: 'alerts',
      },
    ),
    teams: chatRoom('teams', teams, { webhook_url: teams.webhookUrl }),
    gotify: chatRoom(
      'gotify',
      shownBy(gotify, () => texts(gotify.shown)),
      at,
    ),
    matrix: chatRoom(
      'matrix',
      shownBy(matrix, () => matrix.events.map(({ content }) => ({ text: String(content.body) }))),
      room,
    ),
    apprise: chatRoom(
      'apprise',
      shownBy(apprise, () => apprise.shown.map(({ title, body }) => ({ title, text: body }))),
      { api_url: apprise.url, key: 'ops' },
    ),
    pushover: chatRoom(
      'pushover',
      shownBy(pushover, () => texts(pushover.shown)),
      phone,
    ),
    google_chat: chatRoom('google_chat', googleChat, { webhook_url: googleChat.webhookUrl }),
  }
}

type Room = { shown: { title?: string; text: string }[]; close(): Promise<void> }

function shownBy({ close }: Pick<Room, 'close'>, shown: () => Room['shown']): Room {
  return {
    get shown() {
      return shown()
    },
    close,
  }
}

function chatRoom(channel_type: string, room: Room, configuration: object): Listener {
  return {
    channel: { channel_type, configuration },
    heard: () => room.shown.map(({ title = '', text }) => said(`${title}\n${text}`)),
    open: () => [],
    close: room.close,
  }
}

function webhook(now: () => number): Listener {
  const secret = 'a secret of both'
  const receiver = startWebhook({
    secret,
    get nowMs() {
      return now() * 1000
    },
  })
  return {
    channel: { channel_type: 'webhook', configuration: { webhook_url: `${receiver.url}/hook`, secret } },
    heard: () =>
      receiver.received.map(({ json: { event, slo, alert } }) => {
        const { name, began_at: began, ended_at: ended } = alert
        return { event, slo: slo.name, alert: name, began, ended }
      }),
    open: receiver.open,
    close: receiver.close,
  }
}

/** Creates the reader of what an incident tool gets: a severity of an incident by its key, which the text that opens it is about. */
function keyReader() {
  const slos = new Map<string, string>()
  return {
    opened(key: string, text: string): ReceivedAlert {
      slos.set(key, said(text).slo)
      return { ...said(text), alert: severityOf(key) }
    },
    ended: (key: string): ReceivedAlert => ({ event: 'recovery', slo: slos.get(key) ?? '', alert: severityOf(key) }),
  }
}

const severityOf = (key: string) => /-incident-\d+-(\w+)$/.exec(key)?.[1] ?? key

function alertmanager(): Listener {
  const receiver = startWebhook({ format: 'alertmanager' })
  const configuration = { webhook_url: `${receiver.url}/hook`, format: 'alertmanager' }
  return {
    channel: { channel_type: 'webhook', configuration },
    heard: () =>
      receiver.received.map(({ json: { alerts } }) => {
        const [{ status, labels, startsAt: began, endsAt }] = alerts
        const isOver = status === 'resolved'
        return {
          event: isOver ? 'recovery' : 'alert',
          slo: labels.slo,
          alert: '',
          began,
          ended: isOver ? endsAt : null,
        }
      }),
    open: receiver.open,
    close: receiver.close,
  }
}

function pagerduty(): Listener {
  const receiver = startPagerDuty()
  const configuration = { routing_key: routingKey, api_url: receiver.url }
  return {
    channel: { channel_type: 'incident_a', configuration },
    heard() {
      const byKey = keyReader()
      return receiver.received.map(({ json: { event_action, dedup_key, payload } }) =>
        event_action === 'resolve' ? byKey.ended(dedup_key) : byKey.opened(dedup_key, payload.summary),
      )
    },
    open: receiver.open,
    close: receiver.close,
  }
}

function opsgenie(receiver: Opsgenie, credentials: object): Listener {
  return {
    channel: { channel_type: 'incident_b', configuration: { ...credentials, api_url: receiver.url } },
    heard() {
      const byKey = keyReader()
      let lookedUp = ''
      return receiver.received.flatMap(({ method, path, json }): ReceivedAlert[] => {
        const url = new URL(path, receiver.url)
        const closed = /([^/]+)\/close$/.exec(url.pathname)?.[1]
        if (method === 'GET') lookedUp = url.searchParams.get('alias') ?? ''
        if (method === 'GET') return []
        if (closed === undefined) return [byKey.opened(json.alias, json.message)]
        return [byKey.ended(url.searchParams.has('identifierType') ? decodeURIComponent(closed) : lookedUp)]
      })
    },
    open: receiver.open,
    close: receiver.close,
  }
}

const opened = /(\w+): burning [\d.]+× since [^,]+ UTC, budget gone in /
const ended = /(\w+) is up again after /

/** Parses a notification text for people, which names no alert. */
function said(text: string): ReceivedAlert {
  const [, failing] = opened.exec(text) ?? []
  const [, recovered] = ended.exec(text) ?? []
  const event = failing !== undefined ? 'alert' : recovered !== undefined ? 'recovery' : text
  return { event, slo: failing ?? recovered ?? '', alert: '' }
}
