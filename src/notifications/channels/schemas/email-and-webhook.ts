import { type ChannelSchema, webhookUrl, httpHeaders } from './schema.ts'

export const webhook = {
  webhook_url: {
    ...webhookUrl,
    requirement: 'must be the http(s) URL to send to',
    isDestination: true,
    label: 'URL',
    placeholder: 'https://receiver.example/alerts',
  },
  format: { kind: 'choice', choices: { nines: 'nines', alertmanager: 'Alertmanager' }, default: 'nines' },
  headers: {
    ...httpHeaders,
    hint: 'One a line. Values are kept secret; ******** keeps the stored one.',
    placeholder: 'Authorization: Bearer …',
  },
  secret: { isSecret: true, label: 'Signing secret', hint: 'Signs each request in X-Nines-Signature.' },
} as const satisfies ChannelSchema

const ifOwnServer = { key: 'smtp_server' } as const

/** Read by `email/configuration.ts` instead of `readFields`, because the keys depend on each other. */
export const email = {
  to: {
    requirement: 'must be an e-mail address, or several in recipients',
    label: 'To',
    hint: 'One address, or several separated by commas.',
    placeholder: 'oncall@example.com',
  },
  recipients: { kind: 'list', maxEntries: 50 },
  from: { max: 254, label: 'From', placeholder: 'nines@example.com' },
  smtp_server: { max: 2000, isDestination: true, label: 'Mail server', placeholder: 'smtp.example.com:587' },
  smtp_username: { max: 300, when: ifOwnServer, label: 'User name' },
  smtp_password: { isSecret: true, when: ifOwnServer, label: 'Password' },
  smtp_security: {
    kind: 'choice',
    choices: { starttls: 'STARTTLS, port 587', tls: 'TLS, port 465', none: 'None, port 25' },
    when: ifOwnServer,
    label: 'Encryption',
  },
} as const satisfies ChannelSchema
