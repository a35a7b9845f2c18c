import type { Json } from '../schemas.ts'
import { channel, measuredAt, notification, now, rule } from './world.ts'

const withSecret = ['client_secret_basic', 'client_secret_post']
const client = {
  client_id: '7d1f4c1e-5f0a-4f0e-9a6b-3c2d1e0f9a8b',
  name: 'Status page',
  redirect_uris: ['https://status.example/callback'],
  confidential: true,
}
const cacheEntry = {
  key: 'report/42',
  query: 'up',
  slo_id: 0,
  time_window: '1h',
  cached_at: now,
  expires_at: '2026-11-21T10:05:12.000Z',
  hit_count: 3,
  is_fresh: true,
}
const healthy = { cache: true, notifications: true, websocket: true, clock: true }
const resent = {
  ...notification,
  status: 'pending',
  sent_at: null,
  delivered_at: null,
  next_attempt_at: now,
  updated_at: now,
}

/** What a trial of a target or a probe gave, by the operations that try one. */
const ofProbe = {
  sample_count: 16,
  samples: [{ name: 'probe_success', labels: {}, value: '1' }],
  family_count: 12,
  families: [{ name: 'probe_success', type: 'unknown', help: '', samples: 1 }],
  duration_ms: 77.2,
  findings: {},
}

const series = { __name__: 'up', instance: '10.0.0.7:8080', job: 'checkout' }
const succeeded = (data: Json) => ({ status: 'success', data })
const vector = succeeded({ resultType: 'vector', result: [{ metric: series, value: [1_795_255_200, '1'] }] })
const matrix = succeeded({
  resultType: 'matrix',
  result: [
    {
      metric: series,
      values: [
        [1_795_255_140, '1'],
        [1_795_255_200, '1'],
      ],
    },
  ],
})
const series1 = succeeded([series])
const labelNames = succeeded(['__name__', 'instance', 'job'])

/** Of the routes of Prometheus, whose operations are named for `noun`. */
const asPrometheus = (noun: string): Record<string, Json> => ({
  [`query${noun}`]: vector,
  [`query${noun}ByForm`]: vector,
  [`query${noun}Range`]: matrix,
  [`query${noun}RangeByForm`]: matrix,
  [`list${noun}Series`]: series1,
  [`list${noun}SeriesByForm`]: series1,
  [`list${noun}Labels`]: labelNames,
  [`list${noun}LabelsByForm`]: labelNames,
  [`list${noun}LabelValues`]: succeeded(['checkout', 'node']),
  [`list${noun}Metadata`]: succeeded({
    http_requests_total: [{ type: 'counter', help: 'Requests by code.', unit: '' }],
  }),
  [`list${noun}Rules`]: succeeded({ groups: [] }),
  [`get${noun}BuildInfo`]: succeeded({
    application: 'nines',
    version: '3.5.0',
    revision: '0.1.0',
    branch: '',
    buildUser: '',
    buildDate: '',
    goVersion: '',
  }),
})

const messages: Record<string, string> = {
  logout: 'Signed out',
  changePassword:
    'Password changed; all other sessions have ended. API tokens stay: send revoke_tokens to revoke them too',
  requestPasswordReset: 'If this e-mail has an account, a mail is on its way to it',
  requestReset: 'If this e-mail has an account, a mail is on its way to it',
  confirmPasswordReset:
    'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more',
  confirmReset:
    'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more',
  confirmEmail: 'E-mail address confirmed',
  resendEmailConfirmation: 'If this e-mail has an account that is not confirmed, a mail is on its way to it',
  revokeApiToken: 'API token revoked',
  deleteOAuthClient: 'OAuth client deleted',
  removeUser: 'User removed',
  revokeInvitation: 'Invitation revoked',
  deleteTeam: 'Team deleted',
  updateSlo: 'SLO updated',
  deleteSlo: 'SLO deleted',
  cancelBackfill: 'Backfill cancelled',
  deleteSource: 'Source deleted',
  deleteSourceQuery: 'Query deleted',
  updateChannel: 'Channel updated',
  deleteChannel: 'Channel deleted',
  createSilence: 'Silence created',
  updateSilence: 'Silence updated',
  endSilence: 'Silence ended',
  updateRule: 'Notification rule changed',
  deleteRule: 'Notification rule deleted',
  storeCacheEntry: 'Cache entry stored',
  deleteCacheEntry: 'Cache entry deleted',
  updateCacheConfig: 'Cache configuration updated',
  deleteTarget: 'Target deleted',
  deleteProbe: 'Probe deleted',
}

/** What is shown of an answer by its operation; its other fields are as `schemas` and `fields` have them. */
export const answers: Record<string, Json> = {
  ...Object.fromEntries(Object.entries(messages).map(([name, message]) => [name, { message }])),
  ...asPrometheus('Embedded'),
  ...asPrometheus('SourceApi'),
  getLiveness: { status: 'healthy' },
  getReadiness: { status: 'ready' },
  getHealth: { services: healthy, conditions: [] },
  getPublicStatus: {
    uptime: '3d 2h 15m',
    services: { api: true, database: true, cache: true },
    conditions: [],
    slos: { total: 1, healthy: 1, violated: 0, no_data: 0 },
  },
  getDocument: { openapi: '3.1.1', info: { title: 'nines', version: '0.1.0' } },
  getOAuthMetadata: {
    issuer: 'https://nines.example',
    authorization_endpoint: 'https://nines.example/oauth/authorize',
    token_endpoint: 'https://nines.example/oauth/token',
    revocation_endpoint: 'https://nines.example/oauth/revoke',
    introspection_endpoint: 'https://nines.example/oauth/introspect',
    scopes_supported: ['read', 'write'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none', ...withSecret],
    revocation_endpoint_auth_methods_supported: ['none', ...withSecret],
    introspection_endpoint_auth_methods_supported: withSecret,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  },
  exchangeOAuthToken: { access_token: 'q7R…', expires_in: 3600, refresh_token: 'Zb9…', scope: 'read' },
  introspectOAuthToken: {
    active: true,
    scope: 'read',
    client_id: client.client_id,
    username: 'ada@example.com',
    token_type: 'Bearer',
    exp: 1_795_258_812,
    iat: 1_795_255_212,
    sub: '1',
    iss: 'https://nines.example',
  },
  listOAuthClients: { clients: [client] },
  getOAuthClient: client,
  createOAuthClient: client,
  createSlo: { status: 'unknown', created_at: now, updated_at: now, measured_since: now },
  restartBackfill: {
    status: 'waiting',
    progress: 0,
    chunks: 0,
    chunks_done: 0,
    slices: 0,
    created_at: now,
    updated_at: now,
  },
  listSourceSlos: { slos: [{ id: 12, name: 'Checkout answers' }] },
  listExecutions: { executions: [{ query_id: 4 }] },
  listChannels: { data: [{}] },
  sendTest: { message: 'Test notification sent', data: { status: 'delivered', delivered_at: now } },
  listSilences: { page_size: 50 },
  listNotifications: { page_size: 1, total: 214, has_next: true },
  getNotificationStatistics: {
    data: {
      total_notifications: 214,
      pending_notifications: 0,
      sending_notifications: 0,
      sent_notifications: 12,
      delivered_notifications: 200,
      failed_notifications: 2,
      throttled_notifications: 0,
      success_rate: 0.9906542056,
      average_delivery_time_ms: 640,
      channel_usage: { webhook: 214 },
      channel_types: [
        { channel_type: 'webhook', arrived: 212, failed: 2, waiting: 0, throttled: 0, average_delivery_time_ms: 640 },
      ],
    },
  },
  retryFailed: {
    message: 'Failed notifications are queued again',
    data: { max_age_seconds: 3600, retried: 2, skipped: 0 },
  },
  resendNotification: {
    message: 'A copy of the notification is queued',
    data: { ...resent, id: 2214, created_at: now },
  },
  setRules: { message: 'Notification rules stored', stored: 1, deleted: 0 },
  requestNotification: {
    message: 'Notification rule stored',
    data: {
      ...rule,
      slo_id: 12,
      channel_id: channel.id,
      status: 'stored',
      subject: null,
      message: null,
      evaluated_at: now,
    },
  },
  getCacheStatistics: {
    data: {
      total_entries: 41,
      total_hits: 1520,
      total_misses: 380,
      hit_rate: 0.8,
      average_ttl: 300_000_000_000,
      average_entry_size: 2210,
      memory_usage_mb: 0.09,
      is_fresh_count: 12,
      expired_count: 29,
      hot_entries_count: 3,
      cold_entries_count: 8,
      dropped_entries: 0,
    },
  },
  listCacheEntries: { data: { entries: [cacheEntry], page_size: 1, total: 41, has_next: true } },
  getCacheEntry: { data: { ...cacheEntry, last_hit: measuredAt, result: { value: 1 } } },
  invalidateCache: { message: 'Cache invalidated', data: { type: 'pattern', invalidations: 3 } },
  warmCache: { message: 'Cache warmed', data: { queries_warmed: 1, failed: [] } },
  tryProbe: ofProbe,
  testProbe: ofProbe,
}
