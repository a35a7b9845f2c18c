import { apiUrl, type ChannelSchema, credential } from './schema.ts'

const routingKey = 'must be the integration key: 32 letters and digits'
export const pagerduty = {
  routing_key: {
    requirement: routingKey,
    pattern: [/^[A-Za-z0-9]{32}$/, routingKey],
    isSecret: true,
    label: 'Integration key',
    placeholder: '0123456789abcdef0123456789abcdef',
  },
  severity: {
    kind: 'choice',
    choices: { critical: 'Critical', error: 'Error', warning: 'Warning', info: 'Info' },
    unset: 'As the alert has it',
    label: 'Severity',
  },
  api_url: {
    ...apiUrl,
    hint: 'In Europe https://events.eu.pagerduty.com.',
    placeholder: 'https://events.eu.pagerduty.com',
  },
} as const satisfies ChannelSchema

const asciiCredential = [credential, 'must be printable ASCII without spaces'] as const
const withApiKey = { key: 'mode', is: 'genie' } as const
const withApiToken = { key: 'mode', is: 'jsm' } as const
export const opsgenie = {
  mode: {
    kind: 'choice',
    choices: { genie: 'Opsgenie, or an API key of Jira', jsm: 'Jira Service Management with an API token' },
    default: 'genie',
    isDestination: true,
    label: 'Service',
  },
  api_key: {
    requirement: 'must be the API key',
    pattern: asciiCredential,
    isSecret: true,
    when: withApiKey,
    label: 'API key',
  },
  cloud_id: {
    requirement: 'must be the cloud id of the site',
    pattern: [/^[A-Za-z0-9-]{1,100}$/, 'must be letters, digits and hyphens'],
    when: withApiToken,
    label: 'Cloud id',
    hint: 'https://YOURSITE.atlassian.net/_edge/tenant_info shows it.',
  },
  email: {
    requirement: 'must be the e-mail address of who owns the API token',
    pattern: [/^[^\s:@]+@[^\s:@]+$/, 'must be an e-mail address'],
    when: withApiToken,
    label: 'E-mail',
    hint: 'Of who owns the API token.',
  },
  api_token: {
    requirement: 'must be the API token',
    pattern: asciiCredential,
    isSecret: true,
    when: withApiToken,
    label: 'API token',
  },
  api_url: { ...apiUrl, hint: 'In Europe https://api.eu.opsgenie.com.', placeholder: 'https://api.eu.opsgenie.com' },
  responders: {
    kind: 'responders',
    maxEntries: 50,
    label: 'Responders',
    hint: 'One a line: team, user, escalation or schedule, then the name.',
    placeholder: 'team shop',
  },
  tags: { kind: 'list', maxEntries: 20, max: 50, label: 'Tags', hint: 'Separated by commas.' },
  priority: {
    kind: 'choice',
    choices: { P1: 'P1', P2: 'P2', P3: 'P3', P4: 'P4', P5: 'P5' },
    unset: 'That of the rule',
    label: 'Priority',
  },
} as const satisfies ChannelSchema
