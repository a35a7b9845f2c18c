import { accessToken, apiUrl, type ChannelSchema, credential, httpHeaders, serverUrl } from './schema.ts'

const topic = 'must be the name of a topic: 1 to 64 letters, digits, hyphens and underscores'
export const ntfy = {
  server_url: { ...serverUrl, default: 'https://ntfy.sh' },
  topic: {
    requirement: topic,
    pattern: [/^[\w-]{1,64}$/, topic],
    isSecret: true,
    label: 'Topic',
    placeholder: 'alerts-7Qx2',
  },
  access_token: {
    ...accessToken,
    hint: 'Of a protected topic: Account → Access tokens.',
    placeholder: 'tk_…',
  },
  username: {
    pattern: [/^[^:]+$/, 'must be a user name without a colon'],
    label: 'User name',
    hint: 'In place of a token.',
  },
  password: { isSecret: true, label: 'Password' },
} as const satisfies ChannelSchema

export const gotify = {
  server_url: {
    ...serverUrl,
    requirement: 'must be the URL of the Gotify server',
    placeholder: 'https://gotify.example.com',
  },
  app_token: {
    requirement: 'must be the token of an application',
    pattern: [credential, 'must be the token of an application: printable ASCII without spaces'],
    isSecret: true,
    label: 'Application token',
    placeholder: 'A…',
  },
} as const satisfies ChannelSchema

const pushoverKey = [/^[A-Za-z0-9]{30}$/, 'must be 30 letters and digits'] as const
const inEmergency = { key: 'emergency', is: true, otherwise: 'cannot be sent without emergency' } as const
export const pushover = {
  app_token: {
    requirement: 'must be the token of an application: 30 letters and digits',
    pattern: pushoverKey,
    isSecret: true,
    label: 'API token',
  },
  user_key: {
    requirement: 'must be the key of a user or a group: 30 letters and digits',
    pattern: pushoverKey,
    isSecret: true,
    label: 'User key',
    hint: 'Or that of a group.',
  },
  device: {
    pattern: [/^[\w-]{1,25}(?:,[\w-]{1,25})*$/, 'must be the name of a device, or several separated by commas'],
    label: 'Device',
    hint: 'One, or several separated by commas.',
  },
  sound: { pattern: [/^[\w-]{1,50}$/, 'must be the name of a sound'], label: 'Sound', placeholder: 'siren' },
  emergency: {
    kind: 'flag',
    choices: { true: 'Repeat until somebody acknowledges' },
    unset: 'Sound once',
    label: 'Critical alerts',
  },
  retry_seconds: {
    kind: 'number',
    range: [30, 10_800],
    default: 60,
    when: inEmergency,
    label: 'Repeat after, in seconds',
  },
  expire_seconds: {
    kind: 'number',
    range: [30, 10_800],
    default: 3600,
    when: inEmergency,
    label: 'Repeat for, in seconds',
  },
  api_url: { kind: 'base_url', default: 'https://api.pushover.net', isDestination: true },
} as const satisfies ChannelSchema

export const apprise = {
  api_url: {
    ...apiUrl,
    requirement: 'must be the URL of the Apprise API',
    placeholder: 'http://apprise:8000',
  },
  key: {
    pattern: [
      /^[\w-]{1,128}$/,
      'must be the key of a configuration: 1 to 128 letters, digits, hyphens and underscores',
    ],
    isSecret: true,
    label: 'Key',
    hint: 'Of a stored configuration.',
    placeholder: 'ops',
  },
  tag: {
    pattern: [/^[\w,| -]{1,200}$/, 'must be tags of a configuration, separated by commas'],
    label: 'Tag',
    hint: 'Notifies only services with this tag.',
  },
  urls: {
    max: 4000,
    isSecret: true,
    label: 'URLs',
    hint: 'In place of a key; separated by commas.',
    placeholder: 'tgram://…',
  },
  headers: { ...httpHeaders, hint: 'For a proxy in front of it; one per line.', placeholder: 'Authorization: Basic …' },
} as const satisfies ChannelSchema
