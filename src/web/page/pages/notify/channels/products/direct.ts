import type { ChannelField } from '../fields.ts'
import { type ChannelProduct, hookField } from './product.ts'

const hasServer = (server: string | undefined) => (server ?? '').trim() !== ''

export const email: ChannelProduct = {
  id: 'email',
  name: 'E-mail',
  type: 'email',
  how: 'Mails go through the mail server of nines (SMTP_URL), unless you name another one under More.',
  fields: [
    { key: 'to', label: 'To', hint: 'One address, or several separated by commas.', placeholder: 'oncall@example.com' },
    {
      key: 'smtp_server',
      label: 'Mail server',
      placeholder: 'smtp.example.com:587',
      isOptional: true,
      isMore: true,
    },
    {
      key: 'smtp_username',
      label: 'User name',
      isOptional: true,
      isMore: true,
      when: (v) => hasServer(v['smtp_server']),
    },
    {
      key: 'smtp_password',
      label: 'Password',
      kind: 'secret',
      isOptional: true,
      isMore: true,
      when: (v) => hasServer(v['smtp_server']),
    },
    {
      key: 'smtp_security',
      label: 'Encryption',
      kind: 'choice',
      choices: [
        ['', 'STARTTLS, port 587'],
        ['tls', 'TLS, port 465'],
        ['none', 'None, port 25'],
      ],
      isOptional: true,
      isMore: true,
      when: (v) => hasServer(v['smtp_server']),
    },
    { key: 'from', label: 'From', placeholder: 'nines@example.com', isOptional: true, isMore: true },
  ],
}

const webhookFields: readonly ChannelField[] = [
  { ...hookField('https://receiver.example/alerts'), label: 'URL' },
  {
    key: 'secret',
    label: 'Signing secret',
    hint: 'Signs each request in X-Nines-Signature.',
    kind: 'secret',
    isOptional: true,
    isMore: true,
  },
  {
    key: 'headers',
    label: 'Headers',
    hint: 'One a line. Values are kept secret; ******** keeps the stored one.',
    placeholder: 'Authorization: Bearer …',
    kind: 'headers',
    isOptional: true,
    isMore: true,
  },
]

export const webhooks: readonly ChannelProduct[] = [
  {
    id: 'webhook',
    name: 'Webhook',
    type: 'webhook',
    how: 'The URL of your own receiver: it gets a POST with JSON, and acknowledges it with any 2xx',
    fields: webhookFields,
    preset: { format: 'nines' },
  },
  {
    id: 'alertmanager',
    name: 'Webhook as Alertmanager sends it',
    type: 'webhook',
    how: 'The URL of a receiver of Alertmanager’s webhook_config',
    fields: webhookFields,
    preset: { format: 'alertmanager' },
  },
]
