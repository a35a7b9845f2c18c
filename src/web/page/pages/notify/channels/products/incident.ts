import { apiUrl, type ChannelProduct } from './product.ts'

const isJsm = (mode: string | undefined) => mode === 'jsm'
/** Tools in which an alert opens an incident. */
export const incidentTools: readonly ChannelProduct[] = [
  {
    id: 'pagerduty',
    name: 'PagerDuty',
    type: 'pagerduty',
    how: 'Services → the service → Integrations → Add → Events API V2 → copy the Integration Key',
    opensIncidents: true,
    fields: [
      { key: 'routing_key', label: 'Integration key', kind: 'secret', placeholder: '0123456789abcdef0123456789abcdef' },
      {
        key: 'severity',
        label: 'Severity',
        kind: 'choice',
        choices: [
          ['', 'As the alert has it'],
          ['critical', 'Critical'],
          ['error', 'Error'],
          ['warning', 'Warning'],
          ['info', 'Info'],
        ],
        isOptional: true,
        isMore: true,
      },
      apiUrl('https://events.eu.pagerduty.com', 'In Europe https://events.eu.pagerduty.com.'),
    ],
  },
  {
    id: 'opsgenie',
    name: 'Opsgenie, Jira Service Management',
    type: 'opsgenie',
    how: 'Opsgenie: Teams → Integrations → Add → API → copy the API Key. Jira: id.atlassian.com → Security → API tokens',
    opensIncidents: true,
    fields: [
      {
        key: 'mode',
        label: 'Service',
        kind: 'choice',
        choices: [
          ['', 'Opsgenie, or an API key of Jira'],
          ['jsm', 'Jira Service Management with an API token'],
        ],
      },
      { key: 'api_key', label: 'API key', kind: 'secret', when: (v) => !isJsm(v['mode']) },
      {
        key: 'cloud_id',
        label: 'Cloud id',
        hint: 'https://YOURSITE.atlassian.net/_edge/tenant_info shows it.',
        when: (v) => isJsm(v['mode']),
      },
      {
        key: 'email',
        label: 'E-mail',
        hint: 'Of who owns the API token.',
        when: (v) => isJsm(v['mode']),
      },
      { key: 'api_token', label: 'API token', kind: 'secret', when: (v) => isJsm(v['mode']) },
      {
        key: 'responders',
        label: 'Responders',
        hint: 'One a line: team, user, escalation or schedule, then the name.',
        placeholder: 'team shop',
        kind: 'responders',
        isOptional: true,
        isMore: true,
      },
      { key: 'tags', label: 'Tags', hint: 'Separated by commas.', kind: 'list', isOptional: true, isMore: true },
      {
        key: 'priority',
        label: 'Priority',
        kind: 'choice',
        choices: [['', 'That of the rule'], ...['P1', 'P2', 'P3', 'P4', 'P5'].map((p) => [p, p] as const)],
        isOptional: true,
        isMore: true,
      },
      apiUrl('https://api.eu.opsgenie.com', 'In Europe https://api.eu.opsgenie.com.'),
    ],
  },
]
