import { expect, test } from 'bun:test'
import { readChannelType } from '../../../src/notifications/configurations.ts'
import { genie, jsm } from '../../support/receivers/opsgenie.ts'

type Row = [given: Record<string, unknown>, details: string]

const hook = { webhook_url: 'https://h.example/x' }
const telegram = { bot_token: '1:x', chat_id: 5 }
const matrix = { homeserver_url: 'https://matrix.example.org', access_token: 'syt_a', room_id: '!abc:example.org' }
const pagerduty = { routing_key: 'a'.repeat(32) }
const apprise = { api_url: 'http://apprise.example:8000', key: 'ops' }
const appriseUrls = { api_url: apprise.api_url, urls: 'ntfy://a' }
const pushover = { app_token: 'a'.repeat(30), user_key: 'u'.repeat(30) }
const ntfy = { topic: 'a' }
const gotify = { server_url: 'http://g', app_token: 'a' }
const botToken = 'bot_token: must be the token of a bot'
const chatId = 'chat_id: must be the id of a chat'
const topicId = 'message_thread_id: must be the id of a topic'
const roomId = 'room_id: must be the id of a room, which begins with !'
const topic = 'topic: must be the name of a topic'
const routingKey = 'routing_key: must be the integration key'

const refused: Record<string, Row[]> = {
  slack: [
    [{}, 'webhook_url: must be the URL of an incoming webhook'],
    [{ webhook_url: 'hooks.slack.com/services/x' }, 'webhook_url: must be an http(s) URL'],
    [{ ...hook, channel: 7 }, 'channel: must be 1 to 100 characters'],
  ],
  discord: [
    [{}, 'webhook_url: must be the URL of a webhook'],
    [{ webhook_url: 'https://u:p@h.example/x' }, 'webhook_url: must be an http(s) URL without user name'],
    [{ ...hook, username: 'x'.repeat(81) }, 'username: must be 1 to 80'],
    [{ ...hook, username: 'My Discord bot' }, 'username: must be a name without'],
  ],
  telegram: [
    [{ chat_id: 5 }, botToken],
    [{ ...telegram, bot_token: 'AAF' }, botToken],
    [{ ...telegram, bot_token: '1:x/../y' }, botToken],
    [{ bot_token: '1:x' }, chatId],
    [{ ...telegram, chat_id: 0 }, chatId],
    [{ ...telegram, chat_id: 1.5 }, chatId],
    [{ ...telegram, chat_id: 2 ** 52 }, chatId],
    [{ ...telegram, chat_id: '9007199254740993' }, chatId],
    [{ ...telegram, chat_id: 'ops_alerts' }, chatId],
    [{ ...telegram, chat_id: '0x10' }, chatId],
    [{ ...telegram, chat_id: [5] }, 'chat_id: must '],
    [{ ...telegram, message_thread_id: 0 }, topicId],
    [{ ...telegram, message_thread_id: 'x' }, topicId],
    [{ ...telegram, api_url: 'https://h.example/?x' }, 'api_url: must be a URL without query'],
  ],
  teams: [
    [{}, 'webhook_url: must be the URL of a workflow of Teams'],
    [{ webhook_url: 'prod-1.logic.azure.com/x' }, 'webhook_url: must be an http(s) URL'],
  ],
  google_chat: [
    [{}, 'webhook_url: must be the URL of a webhook of a space'],
    [{ webhook_url: 'chat.googleapis.com/v1/spaces/x' }, 'webhook_url: must be an http(s) URL'],
  ],
  matrix: [
    [{ ...matrix, homeserver_url: undefined }, 'homeserver_url: must be the URL of the homeserver'],
    [{ ...matrix, homeserver_url: 'example.org' }, 'homeserver_url: must be an http(s) URL'],
    [{ ...matrix, access_token: '' }, 'access_token: must be the access token'],
    [{ ...matrix, access_token: 'a b' }, 'access_token: must be an access token'],
    [{ ...matrix, room_id: null }, roomId],
    [{ ...matrix, room_id: '#alerts:example.org' }, roomId],
    [{ ...matrix, room_id: `!${'a'.repeat(255)}` }, roomId],
  ],
  pagerduty: [
    [{}, routingKey],
    [{ routing_key: 'short' }, routingKey],
    [{ routing_key: `${'a'.repeat(31)}-` }, routingKey],
    [{ ...pagerduty, severity: 'high' }, 'severity: must be one of critical, error, warning, info'],
    [{ ...pagerduty, api_url: 'x' }, 'api_url: must be an http(s) URL'],
    [{ ...pagerduty, api_url: 'http://x/?a=b' }, 'api_url: must be a URL without query string'],
  ],
  opsgenie: [
    [{}, 'api_key: must be the API key'],
    [{ api_key: 'a b' }, 'api_key: must be printable ASCII'],
    [{ mode: 'jira' }, 'mode: must be one of genie, jsm'],
    [{ mode: 'jsm' }, 'cloud_id: must be the cloud id'],
    [{ ...jsm, cloud_id: '../x' }, 'cloud_id: must be letters, digits and hyphens'],
    [{ ...jsm, email: null }, 'email: must be the e-mail address'],
    [{ ...jsm, email: 'nobody' }, 'email: must be an e-mail address'],
    [{ ...jsm, api_token: '' }, 'api_token: must be the API token'],
    [{ ...genie, api_url: 'x' }, 'api_url: must be an http(s) URL'],
    [{ ...genie, priority: 'P6' }, 'priority: must be one of P1, P2, P3, P4, P5'],
    [{ ...genie, tags: 'a' }, 'tags: must be a list of at most 20 entries'],
    [{ ...genie, tags: ['a', ''] }, 'tags.1: must be 1 to 50 characters'],
    [{ ...genie, responders: [{ type: 'group', id: '1' }] }, 'responders.0.type: must be one of team, user'],
    [{ ...genie, responders: [{ type: 'user', name: 'x' }] }, 'responders.0: must be the id or the username'],
    [{ ...jsm, responders: [{ type: 'team', name: 'x' }] }, 'responders.0: must be the id of the team'],
  ],
  ntfy: [
    [{}, topic],
    [{ topic: 'a b' }, topic],
    [{ topic: 'a'.repeat(65) }, topic],
    [{ topic: 'https://ntfy.sh/alerts' }, topic],
    [{ ...ntfy, server_url: 'ntfy.sh' }, 'server_url: must be an http(s) URL'],
    [{ ...ntfy, server_url: 'https://ntfy.sh?x=y' }, 'server_url: must be a URL without query string'],
    [{ ...ntfy, access_token: 'a b' }, 'access_token: must be an access token'],
    [{ ...ntfy, access_token: 'tk_a', username: 'b', password: 'c' }, 'access_token: cannot be sent with username'],
    [{ ...ntfy, username: 'b' }, 'password: is required with username'],
    [{ ...ntfy, password: 'b' }, 'username: is required with password'],
    [{ ...ntfy, username: 'b:c', password: 'd' }, 'username: must be a user name without a colon'],
  ],
  gotify: [
    [{ app_token: 'a' }, 'server_url: must be the URL of the Gotify server'],
    [{ ...gotify, server_url: 'gotify' }, 'server_url: must be an http(s) URL'],
    [{ ...gotify, server_url: 'http://g/?token=x' }, 'server_url: must be a URL without query string'],
    [{ server_url: 'http://g' }, 'app_token: must be the token of an application'],
    [{ ...gotify, app_token: 'a b' }, 'app_token: must be the token of an application'],
  ],
  pushover: [
    [{ user_key: pushover.user_key }, 'app_token: must be the token of an application'],
    [{ app_token: pushover.app_token }, 'user_key: must be the key of a user or a group'],
    [{ ...pushover, app_token: 'short' }, 'app_token: must be 30 letters and digits'],
    [{ ...pushover, user_key: `${'u'.repeat(29)}-` }, 'user_key: must be 30 letters and digits'],
    [{ ...pushover, device: 'my phone' }, 'device: must be the name of a device'],
    [{ ...pushover, sound: 'a b' }, 'sound: must be the name of a sound'],
    [{ ...pushover, emergency: 'yes' }, 'emergency: must be true or false'],
    [{ ...pushover, retry_seconds: 60 }, 'retry_seconds: cannot be sent without emergency'],
    [{ ...pushover, emergency: false, expire_seconds: 60 }, 'expire_seconds: cannot be sent without emergency'],
    [{ ...pushover, emergency: true, retry_seconds: 29 }, 'retry_seconds: must be a whole number from 30 to'],
    [{ ...pushover, emergency: true, expire_seconds: 10_801 }, 'expire_seconds: must be a whole number from 30'],
  ],
  apprise: [
    [{ key: 'ops' }, 'api_url: must be the URL of the Apprise API'],
    [{ ...apprise, api_url: 'apprise:8000' }, 'api_url: must be an http(s) URL'],
    [{ api_url: apprise.api_url }, 'key: is required, or urls'],
    [{ ...apprise, key: 'a/b' }, 'key: must be the key of a configuration: 1 to 128 letters'],
    [{ ...apprise, urls: 'ntfy://a' }, 'urls: cannot be sent with key: send one of the two'],
    [{ ...appriseUrls, urls: 'ops' }, 'urls: must be URLs of Apprise'],
    [{ ...appriseUrls, tag: 'page' }, 'tag: cannot be sent without key'],
    [{ ...apprise, tag: '<x>' }, 'tag: must be tags of a configuration'],
    [{ ...apprise, headers: { Host: 'x' } }, 'headers: cannot have Host'],
  ],
  webhook: [
    [{}, 'webhook_url: must be the http(s) URL to send to'],
    [{ webhook_url: 'ftp://x' }, 'webhook_url: must be an http(s) URL'],
    [{ webhook_url: 'http://u:p@x/' }, 'webhook_url: must be an http(s) URL'],
    [{ ...hook, format: 'xml' }, 'format: must be one of nines, alertmanager'],
    [{ ...hook, secret: 7 }, 'secret: must be 1 to 500 characters'],
    [{ ...hook, headers: { 'X-Nines-Event': 'a' } }, 'headers: cannot have X-Nines-Event'],
    [{ ...hook, headers: { Host: 'a' } }, 'headers: cannot have Host'],
    [{ ...hook, headers: { A: 'é' } }, 'headers.A: must be 1 to 4096 characters'],
  ],
}

const rows = Object.entries(refused).flatMap(([product, all]) => all.map((row) => [product, ...row] as const))

test.each(rows)('%s refuses the configuration %p', (product, given, details) => {
  const refusal = { kind: 'invalid', details: expect.stringContaining(`configuration.${details}`) }
  expect(() => readChannelType(product).type.read(given)).toThrow(expect.objectContaining(refusal))
})
