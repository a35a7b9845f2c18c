import type { Populated } from './populated.ts'
import type { Route } from './routes.ts'

const slo = { name: 'new', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
const newPassword = 'another horse'
const correctionOf = (sloId: number) => {
  return { slo_ids: [sloId], from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z', category: 'other', text: 'new' }
}

/** A valid body of a populated organization for each route that takes JSON. */
const bodies: Record<string, (own: Populated) => object> = {
  'POST /api/v1/auth/change-password': () => ({ current_password: 'correct horse', new_password: newPassword }),
  'POST /api/v1/auth/confirm-email': () => ({ token: 'x'.repeat(43) }),
  'POST /api/v1/auth/confirm-email/resend': ({ name }) => ({ email: `${name}@example.com` }),
  'POST /api/v1/auth/proxy-login': () => ({}),
  'POST /api/v1/auth/demo-login': () => ({ token: 'x'.repeat(43) }),
  'POST /api/v1/auth/login': ({ name }) => ({ email: `${name}@example.com`, password: 'correct horse' }),
  'POST /api/v1/auth/login/mfa': () => ({ mfa_token: 'x'.repeat(43), code: '123456' }),
  'POST /api/v1/auth/second-factor': () => ({ password: 'correct horse' }),
  'POST /api/v1/auth/second-factor/confirm': () => ({ code: '123456' }),
  'POST /api/v1/auth/second-factor/recovery-codes': () => ({ password: 'correct horse', code: '123456' }),
  'POST /api/v1/auth/second-factor/disable': () => ({ password: 'correct horse', code: '123456' }),
  'POST /api/v1/auth/password-reset-confirm': () => ({ token: crypto.randomUUID(), new_password: newPassword }),
  'POST /api/v1/auth/password-reset-request': ({ name }) => ({ email: `${name}@example.com` }),
  'POST /api/v1/auth/password-reset/confirm': () => ({ token: crypto.randomUUID(), new_password: newPassword }),
  'POST /api/v1/auth/password-reset/request': ({ name }) => ({ email: `${name}@example.com` }),
  'POST /api/v1/auth/refresh': ({ refreshToken }) => ({ refresh_token: refreshToken }),
  'POST /api/v1/auth/register': () => ({ email: 'new@example.com', name: 'new', password: newPassword }),
  'PUT /api/v1/auth/me/email': () => ({ email: 'new@example.com', password: 'correct horse' }),
  'POST /api/v1/auth/tokens': () => ({ name: 'new', role: 'viewer' }),
  'POST /api/v1/cache/entry': ({ name }) => ({
    key: `${name} key`,
    query: 'up',
    slo_id: 1,
    time_window: '1h',
    result: { value: 1 },
  }),
  'POST /api/v1/cache/invalidate': () => ({ type: 'expired' }),
  'POST /api/v1/cache/warmup': ({ things }) => ({
    queries: [{ query: 'up', slo_id: things.slo, time_window: '1h' }],
  }),
  'POST /api/v1/embedded/heartbeats': () => ({ name: 'new', cron: '30 2 * * *', time_zone: 'Europe/Zurich' }),
  'PUT /api/v1/embedded/heartbeats/:id': () => ({ name: 'renamed' }),
  'POST /api/v1/embedded/probes': () => ({
    name: 'new',
    type: 'http',
    target: 'http://new.example/',
    settings: {
      expected_status: [200],
      headers: { 'X-Key': 'k3y' },
      header_matches: { 'Content-Type': 'json' },
      json_conditions: ['$.status == "UP"'],
      body_contains: 'UP',
      response_time_below_ms: 500,
      auth: { basic: { username: 'ada', password: 's3cret' } },
    },
  }),
  'POST /api/v1/embedded/probes/test': () => ({ name: 'new', type: 'tcp', target: '127.0.0.1:1' }),
  'POST /api/v1/embedded/probes/:id/test': () => ({ timeout_seconds: 1 }),
  'PUT /api/v1/embedded/probes/:id': () => ({ name: 'renamed' }),
  'POST /api/v1/embedded/targets': () => ({ name: 'new', url: 'http://new.example/metrics', labels: { rack: 'b' } }),
  'POST /api/v1/embedded/targets/test': () => ({ name: 'new', url: 'http://127.0.0.1:1/metrics' }),
  'POST /api/v1/embedded/targets/:id/test': () => ({ timeout_seconds: 1 }),
  'POST /api/v1/embedded/import': () => ({ text: '# TYPE jobs gauge\njobs 3 1795255200\n# EOF\n' }),
  'PUT /api/v1/embedded/targets/:id': () => ({ name: 'renamed' }),
  'PUT /api/v1/incidents/:id/account': () => ({ text: 'new', version: 1 }),
  'POST /api/v1/incidents/:id/acknowledge': () => ({ note: 'new' }),
  'POST /api/v1/incidents/:id/note': () => ({ note: 'new' }),
  'POST /api/v1/notifications/alerts/:id/acknowledge': () => ({ note: 'new' }),
  'POST /api/v1/notifications/retry-failed': () => ({ max_age_seconds: 3600 }),
  'POST /api/v1/notifications/rules': ({ things }) => ({
    slo_id: things.slo,
    channel_id: things.channel,
    alert_type: 'warning',
  }),
  'PUT /api/v1/notifications/rules': ({ things }) => ({
    channel_id: things.channel,
    alert_type: 'warning',
    slo_ids: [things.slo],
  }),
  'PUT /api/v1/notifications/rules/settings': ({ things }) => ({
    settings: [{ channel_id: things.channel, alert_type: 'warning', slo_ids: [things.slo] }],
  }),
  'PUT /api/v1/notifications/rules/:id': () => ({ priority: 'low' }),
  'POST /api/v1/corrections': ({ things }) => correctionOf(things.slo),
  'POST /api/v1/corrections/preview': ({ things }) => correctionOf(things.slo),
  'PATCH /api/v1/corrections/:id': () => ({ text: 'new' }),
  'POST /api/v1/annotations': () => ({ kind: 'deploy', service: 'new', version: '2' }),
  'PATCH /api/v1/annotations/:id': () => ({ version: '3' }),
  'POST /api/v1/reports': () => ({ interval: 'week', name: 'new' }),
  'POST /api/v1/reports/schedules': ({ things }) => ({
    name: 'new',
    interval: 'month',
    time_zone: 'Asia/Kolkata',
    channel_ids: [things.channel],
  }),
  'PATCH /api/v1/reports/schedules/:id': () => ({ name: 'other' }),
  'POST /api/v1/notifications/silences': ({ things }) => ({
    slo_id: things.slo,
    duration_seconds: 3600,
    comment: 'new',
  }),
  'POST /api/v1/notifications/channels': () => ({
    name: 'new',
    channel_type: 'webhook',
    configuration: { webhook_url: 'http://new.example/hook' },
  }),
  'POST /api/v1/notifications/templates/preview': ({ things }) => ({ alert_type: 'warning', slo_id: things.slo }),
  'POST /api/v1/notifications/test': ({ things }) => ({ channel_id: things.channel, subject: 'new', message: 'new' }),
  'POST /api/v1/embedded/prometheus/api/v1/otlp/v1/metrics': () => ({ resourceMetrics: [] }),
  'POST /api/v1/oauth/clients': () => ({ name: 'new', redirect_uris: ['https://new.example/callback'] }),
  'POST /api/v1/organization/invitations': () => ({ email: 'new@example.com', role: 'viewer' }),
  'POST /api/v1/organization/teams': () => ({ name: 'new' }),
  'POST /api/v1/slos/bulk': ({ things }) => ({ action: 'set_target', ids: [things.slo], target: 98 }),
  'POST /api/v1/slos': () => slo,
  'POST /api/v1/slos/preview': () => slo,
  'POST /api/v1/slos/picks': () => ({ metric_query: 'up' }),
  'POST /api/v1/tsdb/calculate-slo': ({ things }) => ({ slo_id: things.slo, time_window: '1h' }),
  'POST /api/v1/tsdb/queries': ({ things }) => ({
    slo_id: things.slo,
    query_name: 'new',
    source_query: 'up',
    query_type: 'custom',
  }),
  'POST /api/v1/tsdb/query': () => ({ query: 'up' }),
  'POST /api/v1/tsdb/sources': () => ({ name: 'new', api_url: 'http://new.example' }),
  'POST /api/v1/tsdb/sources/test': () => ({ name: 'new', api_url: 'http://127.0.0.1:1' }),
  'POST /api/v1/tsdb/sources/:id/test': () => ({ name: 'new' }),
  'PUT /api/v1/cache/config': () => ({ max_entries: 5000 }),
  'PUT /api/v1/notifications/silences/:id': () => ({ until: '2026-12-01T00:00:00Z', comment: 'new' }),
  'PUT /api/v1/notifications/channels/:id': () => ({ name: 'renamed' }),
  'PUT /api/v1/auth/me': () => ({ time_zone: 'Europe/Zurich', clock: '12h' }),
  'PUT /api/v1/organization': () => ({ name: 'renamed' }),
  'PUT /api/v1/organization/teams/:id': () => ({ name: 'renamed' }),
  'PUT /api/v1/organization/users/:id': () => ({ role: 'viewer' }),
  'PUT /api/v1/slos/:id': () => ({ name: 'renamed' }),
  'PUT /api/v1/slos/:id/alerting': () => ({ budget_thresholds: [50, 10] }),
  'PUT /api/v1/tsdb/queries/:id': () => ({ query_name: 'renamed' }),
  'PUT /api/v1/tsdb/sources/:id': () => ({ name: 'renamed' }),
}

/** Throws for a route that takes a body and is not in the table above. */
export function goodBody({ name, body }: Route, own: Populated): object | undefined {
  const make = bodies[name]
  if (body && !make) throw new Error(`${name} is new to the tests of all routes: add it to test/support/good-bodies.ts`)
  return make?.(own)
}
