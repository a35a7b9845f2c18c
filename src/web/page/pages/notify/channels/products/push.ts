import { type ChannelProduct, hookField } from './product.ts'

const isEmergency = (emergency: string | undefined) => emergency === 'true'

/** Google Chat and Matrix. */
export const rooms: readonly ChannelProduct[] = [
  {
    id: 'google_chat',
    name: 'Google Chat',
    type: 'google_chat',
    how: 'The space → Apps & integrations → Webhooks → Add → copy its link',
    fields: [hookField('https://chat.googleapis.com/v1/spaces/…')],
  },
  {
    id: 'matrix',
    name: 'Matrix',
    type: 'matrix',
    how: 'Element, as a user that is in the room: Settings → Help & About → Access Token. Messages are not encrypted',
    fields: [
      { key: 'homeserver_url', label: 'Homeserver', placeholder: 'https://matrix.example.org' },
      { key: 'access_token', label: 'Access token', kind: 'secret', placeholder: 'syt_…' },
      {
        key: 'room_id',
        label: 'Room id',
        hint: 'Room settings → Advanced shows it.',
        placeholder: '!abcdefg:example.org',
      },
    ],
  },
]

/** Gateway API to a hundred other services. */
export const apprise: ChannelProduct = {
  id: 'apprise',
  name: 'Apprise API',
  type: 'apprise',
  how: 'Where the API is, and the key of a configuration that is kept there; or URLs of Apprise',
  fields: [
    { key: 'api_url', label: 'API URL', placeholder: 'http://apprise:8000' },
    {
      key: 'key',
      label: 'Key',
      hint: 'Of a stored configuration.',
      kind: 'secret',
      placeholder: 'ops',
      isOptional: true,
    },
    {
      key: 'urls',
      label: 'URLs',
      hint: 'In place of a key; separated by commas.',
      kind: 'secret',
      placeholder: 'tgram://…',
      isOptional: true,
    },
    { key: 'tag', label: 'Tag', hint: 'Only what has it.', isOptional: true, isMore: true },
    {
      key: 'headers',
      label: 'Headers',
      hint: 'Of a proxy in front; one a line.',
      placeholder: 'Authorization: Basic …',
      kind: 'headers',
      isOptional: true,
      isMore: true,
    },
  ],
}

export const teams: ChannelProduct = {
  id: 'teams',
  name: 'Microsoft Teams',
  type: 'teams',
  how: 'The channel → … → Workflows → Send webhook alerts to a channel → copy the URL it shows at the end',
  fields: [hookField('https://prod-00.westeurope.logic.azure.com:443/workflows/…')],
}

/** Services that push to phones. */
export const pushes: readonly ChannelProduct[] = [
  {
    id: 'ntfy',
    name: 'ntfy',
    type: 'ntfy',
    how: 'Choose a topic that nobody guesses, and subscribe to it in the app',
    fields: [
      { key: 'topic', label: 'Topic', kind: 'secret', placeholder: 'alerts-7Qx2' },
      { key: 'server_url', label: 'Server', placeholder: 'https://ntfy.sh', isOptional: true },
      {
        key: 'access_token',
        label: 'Access token',
        hint: 'Of a protected topic: Account → Access tokens.',
        kind: 'secret',
        placeholder: 'tk_…',
        isOptional: true,
        isMore: true,
      },
      { key: 'username', label: 'User name', hint: 'In place of a token.', isOptional: true, isMore: true },
      { key: 'password', label: 'Password', kind: 'secret', isOptional: true, isMore: true },
    ],
  },
  {
    id: 'gotify',
    name: 'Gotify',
    type: 'gotify',
    how: 'Apps → Create application → copy its token; that of a client does not send',
    fields: [
      { key: 'server_url', label: 'Server', placeholder: 'https://gotify.example.com' },
      { key: 'app_token', label: 'Application token', kind: 'secret', placeholder: 'A…' },
    ],
  },
  {
    id: 'pushover',
    name: 'Pushover',
    type: 'pushover',
    how: 'pushover.net → Create an Application → copy its API Token; your User Key is at the top of the same page',
    fields: [
      { key: 'app_token', label: 'API token', kind: 'secret' },
      { key: 'user_key', label: 'User key', hint: 'Or that of a group.', kind: 'secret' },
      {
        key: 'emergency',
        label: 'Critical alerts',
        kind: 'choice',
        choices: [
          ['', 'Sound once'],
          ['true', 'Repeat until somebody acknowledges'],
        ],
        isOptional: true,
        isMore: true,
      },
      {
        key: 'retry_seconds',
        label: 'Repeat after, in seconds',
        kind: 'number',
        placeholder: '60',
        isOptional: true,
        isMore: true,
        when: (v) => isEmergency(v['emergency']),
      },
      {
        key: 'expire_seconds',
        label: 'Repeat for, in seconds',
        kind: 'number',
        placeholder: '3600',
        isOptional: true,
        isMore: true,
        when: (v) => isEmergency(v['emergency']),
      },
      {
        key: 'device',
        label: 'Device',
        hint: 'One, or several separated by commas.',
        isOptional: true,
        isMore: true,
      },
      { key: 'sound', label: 'Sound', placeholder: 'siren', isOptional: true, isMore: true },
    ],
  },
]
