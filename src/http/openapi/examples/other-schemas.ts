import type { Schema } from '../schemas.ts'
import { mask } from '../../secrets.ts'
import { changedAt, expiresAt, measuredAt, now, slo } from './world.ts'

const settings = {
  method: 'GET',
  headers: {},
  body: null,
  expected_status: [],
  body_matches: 'Example',
  body_matches_not: null,
  follow_redirects: true,
  verify_certificate: true,
}
const health = { status: 'up', last_duration_ms: 8.412, last_error: null, recent: [{ ok: true, duration_ms: 8.412 }] }
const findings = {
  phases: [
    { phase: 'resolve', duration_ms: 1.2 },
    { phase: 'connect', duration_ms: 9.8 },
    { phase: 'tls', duration_ms: 21.4 },
    { phase: 'processing', duration_ms: 44.1 },
    { phase: 'transfer', duration_ms: 0.7 },
  ],
  http_status: 200,
  redirects: 0,
  body_bytes: 1256,
  tls_version: 'TLS 1.3',
  certificate_expires_at: '2027-01-18T23:59:59.000Z',
}
const grace = { id: 2, name: 'Grace Hopper', email: 'grace@example.com', role: 'member' }
const user = { id: 1, name: 'Ada Lovelace' }
const listed = { page_size: 1, total: 57, has_next: true }

/**
 * Examples of sources, targets, probes, the organization, its users and the cache, by schema title. Other fields come from
 * `fields`.
 */
export const otherSchemas: Record<string, Schema> = {
  ApiToken: {
    id: 7,
    name: 'deploy pipeline',
    role: 'member',
    expires_at: '2027-01-01T00:00:00.000Z',
    last_used_at: changedAt,
  },
  AuditEntry: {
    id: 1204,
    event: 'slo_changed',
    outcome: 'success',
    ip: '203.0.113.7',
    user_agent: 'curl/8.5.0',
    details: { id: slo.id, name: slo.name, changed: ['target'] },
    credential: { type: 'api_token', id: 7, name: 'deploy pipeline' },
    created_at: changedAt,
  },
  AuditPage: listed,
  CacheConfig: {
    default_ttl: 300_000_000_000,
    max_entries: 10_000,
    cleanup_interval: 60_000_000_000,
    enable_memory_cache: true,
    enable_compression: true,
    compression_threshold: 1024,
    enable_warmup: false,
    analytics_retention: 604_800_000_000_000,
  },
  CollectionHealth: { ...health, samples: 4 },
  CollectionTrial: {
    ok: true,
    duration_ms: 8.412,
    sample_count: 1,
    samples: [{ name: 'node_load1', labels: {}, value: '0.42' }],
    family_count: 1,
    families: [{ name: 'node_load1', type: 'gauge', help: '1m load average.', samples: 1 }],
    findings: null,
  },
  CreatedApiToken: {
    id: 7,
    name: 'deploy pipeline',
    role: 'member',
    token: 'nines_…',
    expires_at: '2027-01-01T00:00:00.000Z',
  },
  CreatedInvitation: {
    id: 4,
    email: 'katherine@example.com',
    role: 'member',
    created_at: now,
    expires_at: '2026-11-28T10:00:12.000Z',
    token: 'k3Yw…',
    link: 'https://nines.example/register?invitation_token=k3Yw…',
    mailed: true,
  },
  DataSource: { id: 1, name: 'Main', auth: { bearer: { token: mask } } },
  ImportedPart: {
    samples: 1,
    series: 1,
    too_old: 0,
    too_new: 0,
    first_at: measuredAt,
    last_at: measuredAt,
    slos: 0,
  },
  InvitationList: {
    invitations: [
      {
        id: 4,
        email: 'katherine@example.com',
        role: 'member',
        created_at: now,
        expires_at: '2026-11-28T10:00:12.000Z',
      },
    ],
  },
  UserList: { users: [user, grace], total: 2 },
  ListedUser: { ...user },
  NewOAuthClient: { client_secret: 'Zb9…' },
  Organization: { id: 1, name: 'Example Ltd', users: 2, channel_tested: true },
  Probe: {
    id: 3,
    name: 'home page',
    type: 'http',
    target: 'https://example.org/',
    settings,
    health: { ...health, last_duration_ms: 77.2, recent: [{ ok: true, duration_ms: 77.2 }], samples: 16, findings },
  },
  ProbeFindings: findings,
  QuotaList: {
    quotas: [
      { name: 'slos', limit: 2000, used: 1 },
      { name: 'channels', limit: 500, used: 1 },
    ],
  },
  SampleStorage: {
    retention_days: 35,
    series: { used: 412, limit: 100_000 },
    bytes: { used: 66_445_056, limit: 4_294_967_296 },
    oldest_at: '2026-10-17T10:00:00.000Z',
    samples_per_day: 1_186_560,
    bytes_per_day: 1_898_496,
    import_bytes: 1_048_576,
    file: { used: 71_303_168, limit: 4_294_967_296, disk_free: 21_474_836_480 },
  },
  SourceHealth: { status: 'answers', last_answer_at: '2026-11-21T10:00:07.000Z', latency_ms: 8.4 },
  SourceQuery: {
    id: 4,
    source_id: null,
    query_name: 'Requests per second',
    source_query: 'sum(rate(http_requests_total[5m]))',
    query_type: 'throughput',
    metric_labels: [],
    evaluation_interval_seconds: 60,
    last_value: 4.166666666666667,
    last_value_at: measuredAt,
  },
  SourceTrial: {
    ok: true,
    duration_ms: 12.4,
    version: '3.5.0',
    targets: { all: 14, up: 14, jobs: ['checkout', 'node'] },
  },
  SourcesHealth: {
    data_sources: [{ id: 1, name: 'Main', status: 'healthy' }],
    checked_by: 1,
    service: 'tsdb',
    status: 'healthy',
    message: 'All sources answer',
  },
  State: { time: now },
  SuggestedSlo: { name: slo.name, target: 99.95, good_query: slo.good_query, total_query: slo.total_query },
  Suggestion: {
    key: 'http_requests_total/checkout',
    kind: 'availability',
    metric: 'http_requests_total',
    label: 'job',
    value: 'checkout',
    failing_label: 'code',
    limits_seconds: [],
    suggested_target: 99.95,
    reached_percent: 99.96,
    reason: 'The last 30 days reached 99.960 %.',
    days: [...Array.from({ length: 28 }, () => 100), 98.8, 100],
    events_per_day: 360_000,
  },
  Suggestions: { looked_at: now, metrics_found: 1, gaps: [] },
  Target: {
    id: 2,
    name: 'node',
    url: 'http://127.0.0.1:9100/metrics',
    labels: { rack: 'b' },
    interval_seconds: 15,
    honor_labels: false,
    health: { findings: null, samples: 1372 },
  },
  Team: { id: 3, name: 'Payments' },
  TeamList: { page_size: 100 },
  TokenResponse: { access_token: 'eyJhbGciOiJIUzI1NiIs…', refresh_token: 'sQX6Weu5DDbAzSZaC…', expires_at: expiresAt },
  User: user,
}
