/** Example of a configuration of each product, for the reference. */
const configurations: Record<string, object[]> = {
  email: [
    {
      to: 'oncall@example.com',
      smtp_server: 'smtp.example.com:587',
      smtp_username: 'nines',
      smtp_password: '…',
      from: 'nines@example.com',
    },
  ],
  slack: [{ webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX', channel: '#oncall' }],
  teams: [
    { webhook_url: 'https://prod-00.westeurope.logic.azure.com:443/workflows/…/triggers/manual/paths/invoke?…&sig=…' },
  ],
  discord: [{ webhook_url: 'https://discord.com/api/webhooks/4242/XXXX', username: 'nines' }],
  google_chat: [{ webhook_url: 'https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…' }],
  matrix: [{ homeserver_url: 'https://matrix.example.org', access_token: 'syt_…', room_id: '!abcdefg:example.org' }],
  telegram: [{ bot_token: '123456789:AA…', chat_id: '-1001234567890', message_thread_id: 7 }],
  ntfy: [{ server_url: 'https://ntfy.example.com', topic: 'alerts', access_token: 'tk_…' }],
  gotify: [{ server_url: 'https://gotify.example.com', app_token: 'A…' }],
  pushover: [
    { app_token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', emergency: true },
  ],
  apprise: [{ api_url: 'http://apprise:8000', key: 'ops', tag: 'page', headers: { Authorization: 'Basic …' } }],
  pagerduty: [
    {
      routing_key: '0123456789abcdef0123456789abcdef',
      severity: 'error',
      api_url: 'https://events.eu.pagerduty.com',
    },
  ],
  opsgenie: [
    { api_key: '…', responders: [{ type: 'team', name: 'shop' }], tags: ['slo'], priority: 'P2' },
    { mode: 'jsm', cloud_id: '…', email: 'nines@example.com', api_token: '…' },
  ],
  webhook: [{ webhook_url: 'https://receiver.example/alerts', headers: { 'X-Team': 'shop' }, secret: '…' }],
}

/** Bodies that create a channel of each product. */
export const channelExamples = Object.entries(configurations).flatMap(([channel_type, all]) =>
  all.map((configuration) => ({ name: 'on call', channel_type, configuration })),
)
