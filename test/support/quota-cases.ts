import type { QuotaName } from '../../src/quotas.ts'

export const slo = { name: 'one', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
export const hook = { channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:1/hook' } }

/** API requests that create and remove what a quota counts. Some cases need SLO 1 and channel 1. */
export type QuotaCase = {
  quota: QuotaName
  path: string
  /** Body of the n-th request. */
  body: (n: number) => unknown
  sentence: string
  /** True if a new organization already has one. */
  hasOne?: boolean
  remove?: (id: number | string) => string
}

export const quotaCases: QuotaCase[] = [
  { quota: 'slos', path: '/slos', body: () => slo, sentence: 'SLOs (QUOTA_SLOS)', remove: (id) => `/slos/${id}` },
  {
    quota: 'channels',
    path: '/notifications/channels',
    body: (n) => ({ name: `c${n}`, ...hook }),
    sentence: 'notification channels (QUOTA_CHANNELS)',
    remove: (id) => `/notifications/channels/${id}`,
  },
  {
    quota: 'rules',
    path: '/notifications/rules',
    body: (n) => ({
      slo_id: 1,
      channel_id: 1,
      alert_type: ['warning', 'violation', 'recovery'][n],
      notify: false,
    }),
    sentence: 'notification rules (QUOTA_RULES)',
  },
  {
    quota: 'notifications',
    path: '/notifications/rules',
    body: (n) => ({ slo_id: 1, channel_id: 1, alert_type: 'manual', subject: `${n}`, message: 'm' }),
    sentence: 'notifications waiting to be delivered (QUOTA_NOTIFICATIONS)',
  },
  {
    quota: 'silences',
    path: '/notifications/silences',
    body: () => ({ slo_id: 1, duration_seconds: 60, comment: 'c' }),
    sentence: 'silences that have not ended (QUOTA_SILENCES)',
    remove: (id) => `/notifications/silences/${id}`,
  },
  {
    quota: 'corrections',
    path: '/corrections',
    body: () => ({ labels: { a: 'b' }, category: 'other', from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z' }),
    sentence: 'corrections (QUOTA_CORRECTIONS)',
    remove: (id) => `/corrections/${id}`,
  },
  {
    quota: 'annotations',
    path: '/annotations',
    body: () => ({ kind: 'deploy', service: 's' }),
    sentence: 'annotations (QUOTA_ANNOTATIONS)',
    remove: (id) => `/annotations/${id}`,
  },
  {
    quota: 'reports',
    path: '/reports',
    body: () => ({ interval: 'week' }),
    sentence: 'reports (QUOTA_REPORTS)',
    remove: (id) => `/reports/${id}`,
  },
  {
    quota: 'report_schedules',
    path: '/reports/schedules',
    body: (n) => ({ name: `s${n}`, interval: 'week' }),
    sentence: 'schedules of reports (QUOTA_REPORT_SCHEDULES)',
    remove: (id) => `/reports/schedules/${id}`,
  },
  {
    quota: 'sources',
    path: '/tsdb/sources',
    body: (n) => ({ name: `s${n}`, api_url: 'http://127.0.0.1:1' }),
    sentence: 'data sources (QUOTA_SOURCES)',
    remove: (id) => `/tsdb/sources/${id}`,
  },
  {
    quota: 'queries',
    path: '/tsdb/queries',
    body: (n) => ({ slo_id: 1, query_name: `q${n}`, source_query: 'up', query_type: 'custom' }),
    sentence: 'stored source queries (QUOTA_QUERIES)',
    remove: (id) => `/tsdb/queries/${id}`,
  },
  {
    quota: 'targets',
    path: '/embedded/targets',
    body: (n) => ({ name: `t${n}`, url: 'http://127.0.0.1:1/metrics', is_active: false }),
    sentence: 'scrape targets (QUOTA_TARGETS)',
    remove: (id) => `/embedded/targets/${id}`,
  },
  {
    quota: 'probes',
    path: '/embedded/probes',
    body: (n) => ({ name: `p${n}`, type: 'tcp', target: '127.0.0.1:1', is_active: false }),
    sentence: 'probes (QUOTA_PROBES)',
    remove: (id) => `/embedded/probes/${id}`,
  },
  {
    quota: 'heartbeats',
    path: '/embedded/heartbeats',
    body: (n) => ({ name: `h${n}`, period_seconds: 60 }),
    sentence: 'heartbeats (QUOTA_HEARTBEATS)',
    remove: (id) => `/embedded/heartbeats/${id}`,
  },
  {
    quota: 'tokens',
    path: '/auth/tokens',
    body: (n) => ({ name: `t${n}`, role: 'viewer' }),
    sentence: 'API tokens (QUOTA_TOKENS)',
    remove: (id) => `/auth/tokens/${id}`,
  },
  {
    quota: 'oauth_clients',
    path: '/oauth/clients',
    body: (n) => ({ name: `c${n}`, redirect_uris: ['https://a.example/callback'] }),
    sentence: 'OAuth clients (QUOTA_OAUTH_CLIENTS)',
  },
  {
    quota: 'teams',
    path: '/organization/teams',
    body: (n) => ({ name: `t${n}` }),
    sentence: 'teams (QUOTA_TEAMS)',
    hasOne: true,
    remove: (id) => `/organization/teams/${id}`,
  },
  {
    quota: 'invitations',
    path: '/organization/invitations',
    body: (n) => ({ email: `i${n}@example.com`, role: 'viewer' }),
    sentence: 'pending invitations (QUOTA_INVITATIONS)',
    remove: (id) => `/organization/invitations/${id}`,
  },
  {
    quota: 'invitations_hourly',
    path: '/organization/invitations',
    body: (n) => ({ email: `i${n}@example.com`, role: 'viewer' }),
    sentence: 'new invitations an hour (QUOTA_INVITATIONS_HOURLY)',
  },
]
