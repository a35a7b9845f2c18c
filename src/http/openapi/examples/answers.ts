import type { Json } from '../schemas.ts'
import { alertFields } from './notify-schemas.ts'
import { prometheusAnswers } from './prometheus-answers.ts'
import { acknowledged, channel, measuredAt, notification, now, rule, slo } from './world.ts'

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
  cached_at: '2026-11-21T09:58:00.000Z',
  expires_at: '2026-11-21T10:03:00.000Z',
  hit_count: 3,
  is_fresh: true,
}
const healthy = { database: true, cache: true, notifications: true, websocket: true, clock: true }
const resent = {
  ...notification,
  status: 'pending',
  sent_at: null,
  delivered_at: null,
  next_attempt_at: now,
  updated_at: now,
}

const timestamps = { created_at: now, updated_at: now }
const notRun = {
  status: 'unknown',
  last_at: null,
  last_duration_ms: null,
  samples: 0,
  recent: [],
  findings: null,
  down_since: null,
}
const unreported = {
  state: 'waiting',
  state_since: null,
  next_due_at: null,
  deadline_at: null,
  runs: 0,
  good_runs: 0,
  last_success_at: null,
  last_duration_ms: null,
}
const storedQuery = 'sum(rate(http_requests_total[5m]))'

/** The alert when it was acknowledged, six minutes after it began. */
const whileItFired = {
  ...alertFields,
  state: 'firing',
  ended_at: null,
  duration_seconds: 360,
  notified: 1,
  peak_burn_rate: 96,
  burn_rate: { long: 96, short: 720 },
  budget_percent: 10,
  notifications: alertFields.notifications.slice(0, 1),
}

/** Result of a test run of a probe. */
const probeFields = {
  sample_count: 16,
  samples: [{ name: 'probe_success', labels: {}, value: '1' }],
  family_count: 12,
  families: [{ name: 'probe_success', type: 'unknown', help: '', samples: 1 }],
  duration_ms: 77.2,
  findings: {},
}

/**
 * Examples of responses, by operation, and by status if they differ. Other fields come from the tables of schemas and fields.
 */
export const answers: Record<string, Json> = {
  disableSecondFactor: { message: 'Second factor disabled; signing in takes the password alone' },
  logout: { message: 'Signed out' },
  getWhatsNew: {
    version: '0.2.0',
    upgraded_from: '0.1.0',
    releases: [
      { version: '0.2.0', released_on: '2026-12-24', is_new: true, text: '# Page\n\n- What is new after an upgrade.' },
      { version: '0.1.0', released_on: '2026-11-30', is_new: false, text: 'The first version.' },
    ],
  },
  listOrganizationUse: {
    organization_count: 1,
    organizations: [
      {
        id: 1,
        name: 'Example Ltd',
        samples_bytes: 66_445_056,
        series: 412,
        slos: 24,
        cache_bytes: 1_048_576,
        cache_memory_bytes: 524_288,
      },
    ],
  },
  closeWhatsNew: { message: 'The news is closed' },
  withdrawOwnEmailChange: { message: 'No change of the address waits any more' },
  revokeAllowedApplication: { message: 'Application no longer allowed' },
  endSession: { message: 'Session ended' },
  endOtherSessions: { message: 'All other sessions have ended', ended: 2 },
  endUserSessions: { message: 'The sessions have ended', ended: 2 },
  changePassword: {
    message: 'Password changed; all other sessions have ended. API tokens stay: send revoke_tokens to revoke them too',
  },
  requestPasswordReset: { message: 'If this e-mail has an account, a mail is on its way to it' },
  requestReset: { message: 'If this e-mail has an account, a mail is on its way to it' },
  confirmPasswordReset: {
    message:
      'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more',
  },
  confirmReset: {
    message:
      'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more',
  },
  confirmEmail: { message: 'E-mail address confirmed' },
  resendEmailConfirmation: {
    message: 'If this e-mail has an account that is not confirmed, a mail is on its way to it',
  },
  revokeApiToken: { message: 'API token revoked' },
  deleteOAuthClient: { message: 'OAuth client deleted' },
  removeUser: { message: 'User removed' },
  revokeInvitation: { message: 'Invitation revoked' },
  deleteTeam: { message: 'Team deleted' },
  updateSlo: { message: 'SLO updated' },
  deleteSlo: { message: 'SLO deleted' },
  changeSlos: {
    results: [
      { id: 1, result: 'changed', error: null },
      { id: 2, result: 'failed', error: { code: 'not_found', message: 'SLO not found', details: null } },
    ],
    changed: 1,
    unchanged: 0,
    failed: 1,
  },
  cancelBackfill: { message: 'Backfill cancelled' },
  deleteSource: { message: 'Source deleted' },
  deleteSourceQuery: { message: 'Query deleted' },
  deleteChannel: { message: 'Channel deleted' },
  createCorrection: { message: 'Correction created', slo_count: 1 },
  updateCorrection: { message: 'Correction updated', data: { to: '2026-11-19T11:00:00.000Z' }, slo_count: 1 },
  deleteCorrectionCalendar: { message: 'Calendar feed revoked' },
  deleteCorrection: { message: 'Correction deleted' },
  listCorrections: { page_size: 50 },
  recomputeSloPeriod: { message: 'Period recomputed' },
  createAnnotation: { message: 'Annotation created' },
  updateAnnotation: { message: 'Annotation updated', data: { text: 'Rolled back at 10:50' } },
  deleteIncidentAccount: { message: 'Account deleted' },
  deleteAnnotation: { message: 'Annotation deleted' },
  createReport: {
    message: 'Report requested',
    data: {
      status: 'pending',
      slo_count: null,
      met_count: null,
      missed_count: null,
      schedule_id: null,
      schedule_name: null,
      created_by: 1,
      created_by_name: 'Ada Lovelace',
      made_at: null,
    },
  },
  deleteReport: { message: 'Report deleted' },
  createReportSchedule: { message: 'Schedule created' },
  updateReportSchedule: { message: 'Schedule updated' },
  deleteReportSchedule: { message: 'Schedule deleted' },
  listAnnotations: { page_size: 50 },
  createSilence: { message: 'Silence created' },
  endSilence: { message: 'Silence ended' },
  deleteRule: { message: 'Notification rule deleted' },
  storeCacheEntry: { message: 'Cache entry stored' },
  deleteCacheEntry: { message: 'Cache entry deleted' },
  updateCacheConfig: { message: 'Cache configuration updated' },
  deleteTarget: { message: 'Target deleted' },
  deleteHeartbeat: { message: 'Heartbeat deleted' },
  deleteProbe: { message: 'Probe deleted' },
  ...prometheusAnswers,
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
  createOAuthClient: { ...client, created_at: now },
  createSlo: { ...timestamps, status: 'unknown', description: '', team_id: 1, source_id: null, measured_since: now },
  restartBackfill: {
    status: 'waiting',
    progress: 0,
    chunks: 0,
    chunks_done: 0,
    slices: 0,
    created_at: now,
    updated_at: now,
  },
  listSourceSlos: { slos: [{ id: slo.id, name: slo.name }] },
  listExecutions: {
    executions: [
      {
        query_id: 4,
        metadata: {
          time_range: '5m',
          start_time: '2026-11-21T09:55:00.000Z',
          end_time: measuredAt,
          step_seconds: null,
          part: 'query',
          expression: storedQuery,
          window_method: 'as_stored',
        },
      },
    ],
  },
  createApiToken: { created_at: now },
  createTeam: { created_at: now },
  createSource: { ...timestamps, health: { status: 'unknown', last_answer_at: null, latency_ms: null }, slo_count: 0 },
  createSourceQuery: { ...timestamps, last_value: null, last_value_at: null },
  updateSourceQuery: { evaluation_interval_seconds: 300, updated_at: now },
  createChannel: {
    data: { ...timestamps, health: { status: 'untested', consecutive_failures: 0, last_success_at: null } },
  },
  updateChannel: { message: 'Channel updated', data: { enabled: false, updated_at: now } },
  createTarget: { ...timestamps, health: notRun },
  updateTarget: { interval_seconds: 60, updated_at: now },
  createProbe: { ...timestamps, health: notRun },
  createHeartbeat: { ...timestamps, ...unreported },
  updateHeartbeat: { grace_seconds: 7200, updated_at: now },
  updateProbe: { interval_seconds: 60, updated_at: now },
  updateRule: { message: 'Notification rule changed', data: { min_interval_seconds: 900, updated_at: now } },
  updateSilence: { message: 'Silence updated', data: { until: '2026-12-01T00:00:00.000Z' } },
  updateUser: { id: 2, name: 'Grace Hopper', email: 'grace@example.com', role: 'admin' },
  acknowledgeAlert: { data: { ...whileItFired, acknowledged } },
  withdrawAcknowledgement: { data: { ...whileItFired, acknowledged: null } },
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
  'resendNotification 200': { message: 'The notification is queued again', data: resent },
  resendNotification: {
    message: 'A copy of the notification is queued',
    data: { ...resent, id: 2214, idempotency_key: '019aa5ab-31e0-7d52-8f0e-6b4f0c9d2a71', created_at: now },
  },
  setRules: { message: 'Notification rules stored', stored: 1, deleted: 0 },
  setManyRules: { message: 'Notification rules stored', stored: 2, deleted: 0 },
  requestNotification: {
    message: 'Notification rule stored',
    data: {
      ...rule,
      slo_id: slo.id,
      channel_id: channel.id,
      status: 'stored',
      subject: null,
      message: null,
      created_at: now,
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
  getCacheEntry: { data: { ...cacheEntry, last_hit: '2026-11-21T09:59:30.000Z', result: { value: 1 } } },
  invalidateCache: { message: 'Cache invalidated', data: { type: 'pattern', invalidations: 3 } },
  warmCache: { message: 'Cache warmed', data: { queries_warmed: 1, failed: [] } },
  tryProbe: probeFields,
  testProbe: probeFields,
}
