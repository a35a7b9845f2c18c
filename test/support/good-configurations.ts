/**
 * For each channel type: a complete configuration, the secret texts in it, how the API shows it masked (`shown`), and a change
 * that would send to another origin (`elsewhere`).
 */
export const goodConfigurations = {
  email: {
    configuration: {
      to: 'oncall@example.com',
      from: 'nines@example.com',
      smtp_server: 'smtp.example.com:587',
      smtp_username: 'nines',
      smtp_password: 's3cret of the relay',
    },
    secrets: ['s3cret of the relay'],
    shown: { smtp_password: '********' },
    elsewhere: { smtp_server: 'smtp.evil.example' },
  },
  chat_hook_a: {
    configuration: { webhook_url: 'https://hooks.example.com/services/T0AAA/B0AAA/s3cretOfHookA', channel: '#oncall' },
    secrets: ['T0AAA/B0AAA', 's3cretOfHookA'],
    shown: { webhook_url: 'https://hooks.example.com/********' },
    elsewhere: { webhook_url: 'https://evil.example/********' },
  },
  chat_hook_b: {
    configuration: { webhook_url: 'https://chat.example.com/api/webhooks/4242/s3cretOfHookB', username: 'nines' },
    secrets: ['4242/', 's3cretOfHookB'],
    shown: { webhook_url: 'https://chat.example.com/********' },
    elsewhere: { webhook_url: 'http://chat.example.com/********' },
  },
  bot_chat: {
    configuration: {
      bot_token: '123456789:AAs3cretTokenOfTheBot_abcdefghijkl',
      chat_id: '-1001234567890',
      api_url: 'https://bots.example.com',
    },
    secrets: ['AAs3cretTokenOfTheBot'],
    shown: { bot_token: '********' },
    elsewhere: { api_url: 'https://bots.evil.example' },
  },
  webhook: {
    configuration: {
      webhook_url: 'http://receiver.example.com:8080/alerts/s3cretPath?key=s3cretParameter',
      format: 'nines',
      headers: { Authorization: 'Bearer s3cretOfHeader', 'X-Team': 's3cretTeam' },
      secret: 's3cretOfSignature',
    },
    secrets: ['s3cretPath', 's3cretParameter', 's3cretOfHeader', 's3cretTeam', 's3cretOfSignature'],
    shown: {
      webhook_url: 'http://receiver.example.com:8080/********',
      headers: { Authorization: '********', 'X-Team': '********' },
      secret: '********',
    },
    elsewhere: { webhook_url: 'https://evil.example/mine' },
  },
  incident_a: {
    configuration: {
      routing_key: 's3cretRoutingKey0123456789abcdef',
      severity: 'error',
      api_url: 'https://events.example.com',
    },
    secrets: ['s3cretRoutingKey'],
    shown: { routing_key: '********' },
    elsewhere: { api_url: 'https://events.evil.example' },
  },
  incident_b: {
    configuration: { api_key: 's3cret-key-of-genie', mode: 'genie', api_url: 'https://genie.example.com' },
    secrets: ['s3cret-key-of-genie'],
    shown: { api_key: '********' },
    elsewhere: { api_url: 'https://genie.evil.example' },
  },
  ntfy: {
    configuration: {
      server_url: 'https://ntfy.example.com',
      topic: 's3cret-topic',
      username: 'nines',
      password: 's3cretOfNtfy',
    },
    secrets: ['s3cret-topic', 's3cretOfNtfy'],
    shown: { topic: '********', password: '********' },
    elsewhere: { server_url: 'https://ntfy.evil.example' },
  },
  teams: {
    configuration: { webhook_url: 'https://flows.example.com:8443/workflows/s3cretOfFlow/invoke?sig=s3cretOfTeams' },
    secrets: ['s3cretOfFlow', 's3cretOfTeams'],
    shown: { webhook_url: 'https://flows.example.com:8443/********' },
    elsewhere: { webhook_url: 'https://evil.example/********' },
  },
  gotify: {
    configuration: { server_url: 'http://gotify.example.com:8070', app_token: 'A.s3cretOfGotify' },
    secrets: ['A.s3cretOfGotify'],
    shown: { app_token: '********' },
    elsewhere: { server_url: 'http://gotify.evil.example' },
  },
  pushover: {
    configuration: {
      app_token: 's3cretTokenOfApp0123456789abcd',
      user_key: 's3cretKeyOfUser0123456789abcde',
      device: 'iphone',
      sound: 'siren',
      emergency: true,
      retry_seconds: 60,
      expire_seconds: 3600,
      api_url: 'https://push.example.com',
    },
    secrets: ['s3cretTokenOfApp', 's3cretKeyOfUser'],
    shown: { app_token: '********', user_key: '********' },
    elsewhere: { api_url: 'https://push.evil.example' },
  },
  matrix: {
    configuration: {
      homeserver_url: 'https://matrix.example.com',
      access_token: 'syt_s3cretOfMatrix',
      room_id: '!abc:example.com',
    },
    secrets: ['syt_s3cretOfMatrix'],
    shown: { access_token: '********' },
    elsewhere: { homeserver_url: 'https://matrix.evil.example' },
  },
  apprise: {
    configuration: {
      api_url: 'http://apprise.example.com:8000',
      key: 's3cret-key-of-apprise',
      tag: 'page',
      headers: { Authorization: 'Bearer s3cretOfProxy' },
    },
    secrets: ['s3cret-key-of-apprise', 's3cretOfProxy'],
    shown: { key: '********', headers: { Authorization: '********' } },
    elsewhere: { api_url: 'http://apprise.evil.example:8000' },
  },
  google_chat: {
    configuration: { webhook_url: 'https://chat.example.com/v1/spaces/A/messages?key=s3cretOfSpace&token=s3cretToken' },
    secrets: ['s3cretOfSpace', 's3cretToken'],
    shown: { webhook_url: 'https://chat.example.com/********' },
    elsewhere: { webhook_url: 'https://evil.example/********' },
  },
}

export const goodTypes = Object.entries(goodConfigurations)

/** A webhook channel that sends to a test receiver. */
export function webhookTo(url: string, more: object = {}) {
  const configuration = { webhook_url: `${url}/s3cretPath?key=s3cretParameter`, secret: 's3cretOfSignature', ...more }
  return { name: 'on call', channel_type: 'webhook', configuration }
}
