import { join } from 'node:path'
import type { Db } from '../../src/db/open.ts'
import { Database } from '../../src/db/sqlite.ts'
import { registration, type TestApp } from './app.ts'
import { addCollected } from './collected-things.ts'
import { addFailed } from './failed-notification.ts'
import { addIncident } from './past-incident.ts'
import { startReceiver } from './receiver.ts'
import type { Things } from './thing-ids.ts'

export type { Things }

export type Populated = {
  name: string
  token: string
  refreshToken: string
  organizationId: number
  userId: number
  things: Things
}

/** Receives the notifications of all populated channels. */
const receiver = startReceiver(() => new Response(null, { status: 204 }))

const farOff = 4_102_444_800_000

/** Registers an account whose organization has one of each kind of thing. `team`: the id of its second team. */
export async function populated(nines: TestApp, name: string, team: number): Promise<Populated> {
  const { body } = await nines.call('POST', '/api/v1/auth/register', registration(name), { token: null })
  const { access_token: token, refresh_token: refreshToken, user: owner } = body
  const { write } = nines.app.db
  const made = { organization_id: owner.organization_id, created_at: nines.clock.now() }
  const changed = { ...made, updated_at: made.created_at }
  const colleague = { email: `${name}-two@example.com`, email_key: `${name}-two@example.com`, password_hash: '' }
  const { id: user } = await write
    .insertInto('users')
    .values({ ...changed, ...colleague, name: `${name} two`, role: 'member' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await write
    .insertInto('teams')
    .values({ ...made, id: team, name: `${name} team` })
    .execute()
  await write
    .updateTable('organizations')
    .set({ next_team_id: team + 1 })
    .where('id', '=', made.organization_id)
    .execute()
  const { id: source } = await write
    .insertInto('data_sources')
    .values({
      ...changed,
      name: `${name} source`,
      api_url: `http://${name}.example`,
      sealed_auth: null,
      is_active: 1,
      is_default: 0,
      last_check_at: null,
      last_error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const slo = { name: `${name} SLO`, target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  const created = await nines.call('POST', '/api/v1/slos', slo, { token })
  const { id: sourceQuery } = await write
    .insertInto('source_queries')
    .values({
      ...changed,
      slo_id: created.body.id,
      source_id: null,
      query_name: `${name} query`,
      source_query: `${name}_up`,
      query_type: 'custom',
      query_hash: `${name} hash`,
      metric_labels: JSON.stringify([name]),
      evaluation_interval_seconds: 60,
      is_active: 1,
      next_run_at: farOff,
      last_value: null,
      last_value_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: invitation } = await write
    .insertInto('invitations')
    .values({
      ...made,
      email: `${name}-three@example.com`,
      email_key: `${name}-three@example.com`,
      role: 'member',
      hash: `${name} invitation`,
      invited_by: owner.id,
      expires_at: farOff,
      accepted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: apiToken } = await write
    .insertInto('api_tokens')
    .values({
      ...made,
      user_id: owner.id,
      name: `${name} token`,
      role: 'viewer',
      hash: `${name} token`,
      expires_at: null,
      last_used_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: session } = await write
    .insertInto('sessions')
    .values({
      user_id: owner.id,
      created_at: made.created_at,
      expires_at: farOff,
      last_used_at: made.created_at,
      ip: '192.0.2.7',
      user_agent: `${name}-script/1.0`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const oauthClient = `${name}-client`
  await write
    .insertInto('oauth_clients')
    .values({
      ...made,
      id: oauthClient,
      name: `${name} client`,
      secret_hash: null,
      redirect_uris: JSON.stringify([`https://${name}.example/callback`]),
      created_by: owner.id,
    })
    .execute()
  await write
    .insertInto('oauth_tokens')
    .values({
      access_hash: `${name}-access`,
      refresh_hash: `${name}-refresh`,
      grant_id: `${name}-grant`,
      client_id: oauthClient,
      user_id: owner.id,
      scopes: 'read',
      access_scopes: 'read',
      access_expires_at: farOff,
      refresh_expires_at: farOff,
      refresh_used_at: null,
      granted_at: made.created_at,
      created_at: made.created_at,
    })
    .execute()
  const webhook = { webhook_url: `${receiver.url}/${name}`, format: 'nines' }
  const { id: channel } = await write
    .insertInto('channels')
    .values({
      ...changed,
      name: `${name} channel`,
      channel_type: 'webhook',
      sealed_configuration: '',
      enabled: 1,
      max_retries: 3,
      failures: 1,
      failing_since: made.created_at,
      last_error: `${name} error`,
      last_success_at: null,
      paused_until: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = { ...made, id: channel }
  const sealed_configuration = nines.app.seal.seal(JSON.stringify(webhook), 'channels.sealed_configuration', row)
  await write.updateTable('channels').set({ sealed_configuration }).where('id', '=', channel).execute()
  const cacheKey = `${name}/key`
  const entry = { key: cacheKey, query: `${name}_up`, slo_id: created.body.id, time_window: '1h', result: name }
  await nines.call('POST', '/api/v1/cache/entry', entry, { token })
  await nines.app.cache.flush()
  const { id: alert } = await write
    .insertInto('alerts')
    .values({
      organization_id: made.organization_id,
      slo_id: created.body.id,
      name: 'status',
      severity: 'critical',
      began_at: Math.floor(made.created_at / 1000) - 60,
      ended_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const openIncident = await addOpenIncident(write, made.organization_id, created.body.id, `${name} reason`)
  const { id: silence } = await write
    .insertInto('silences')
    .values({
      ...made,
      slo_id: null,
      labels: JSON.stringify({ owner: name }),
      starts_at: made.created_at,
      until: made.created_at + 3_600_000,
      comment: `${name} sleeps`,
      created_by: owner.id,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: annotation } = await write
    .insertInto('annotations')
    .values({
      ...made,
      kind: 'deploy',
      labels: JSON.stringify({ owner: name }),
      version: `${name} 1`,
      url: `https://${name}.example`,
      text: `${name} deploys`,
      at: made.created_at,
      created_by: owner.id,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const reported = { interval: 'week' as const, time_zone: 'UTC', selector: '{"all":true}', created_by: owner.id }
  const { id: reportSchedule } = await write
    .insertInto('report_schedules')
    .values({ ...changed, ...reported, name: `${name} weekly`, channel_ids: `[${channel}]`, made_until: 2_000_000_000 })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: report } = await write
    .insertInto('reports')
    .values({
      ...made,
      ...reported,
      schedule_id: reportSchedule,
      name: `${name} weekly`,
      starts_at: 1_794_787_200,
      ends_at: 1_795_392_000,
      status: 'pending',
      attempts: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await write
    .insertInto('slo_periods')
    .values({
      slo_id: created.body.id,
      starts_at: Date.UTC(2026, 9, 1) / 1000,
      ends_at: Date.UTC(2026, 10, 1) / 1000,
      time_window: 'month',
      time_zone: `UTC of ${name}`,
      target: 99,
      revision: 1,
      sli: 99.5,
      good_events: 199,
      total_events: 200,
      counted_good: 199,
      counted_total: 200,
      note: `${name} notes`,
      frozen_at: made.created_at,
      recomputed_at: null,
    })
    .execute()
  const { id: correction } = await write
    .insertInto('corrections')
    .values({
      ...changed,
      slo_ids: null,
      team_id: null,
      labels: JSON.stringify({ owner: name }),
      starts_at: Math.floor(made.created_at / 1000) + 86_400,
      ends_at: Math.floor(made.created_at / 1000) + 90_000,
      rrule: null,
      duration_seconds: null,
      time_zone: null,
      category: 'planned_maintenance',
      text: `${name} moves`,
      silence_id: null,
      created_by: owner.id,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const calendar = {
    organization_id: made.organization_id,
    secret_hash: `${name} calendar`,
    created_at: made.created_at,
  }
  await write.insertInto('calendar_feeds').values(calendar).execute()
  const { id: rule } = await write
    .insertInto('notification_rules')
    .values({
      ...changed,
      slo_id: created.body.id,
      channel_id: channel,
      alert_type: 'violation',
      cause: 'violation',
      severity: null,
      priority: 'high',
      subject: `${name} subject`,
      message: `${name} message`,
      max_retries: 3,
      min_interval_seconds: 0,
      enabled: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const of = {
    name,
    organization_id: made.organization_id,
    slo_id: created.body.id,
    channel_id: channel,
    nowMs: made.created_at,
  }
  const things = {
    cacheKey,
    channel,
    user,
    slo: created.body.id,
    source,
    team,
    invitation,
    apiToken,
    session,
    oauthClient,
    sourceQuery,
    alert,
    silence,
    annotation,
    report,
    reportSchedule,
    correction,
    rule,
    notification: await addFailed(write, of),
    openIncident,
    incident: await addIncident(nines, made.organization_id, created.body.id),
    ...(await addCollected(nines.app, { ...of, url: `${receiver.url}/${name}` })),
  }
  return { name, token, refreshToken, organizationId: owner.organization_id, userId: owner.id, things }
}

/** Stores an open incident with a note. Returns its id. */
async function addOpenIncident(write: Db, organization_id: number, slo_id: number, reason: string): Promise<number> {
  const times = { began_at: 1, opened_at: 1, since: 1 }
  const { id } = await write
    .insertInto('incidents')
    .values({ organization_id, slo_id, severity: 'critical', state: 'down', ...times, relapses: 0, reason })
    .returning('id')
    .executeTakeFirstOrThrow()
  const note = { incident_id: id, user_id: null, user_name: reason, note: reason, created_at: 1 }
  await write.insertInto('incident_notes').values(note).execute()
  const account = {
    incident_id: id,
    text: reason,
    url: '',
    version: 1,
    user_id: null,
    user_name: reason,
    updated_at: 1,
  }
  await write.insertInto('incident_accounts').values(account).execute()
  const acknowledged = { incident_id: id, event: 'acknowledged', at: 1, user_name: reason, note: reason } as const
  await write.insertInto('incident_events').values(acknowledged).execute()
  return id
}

/** Tables of hit counters, which the cache writes at any later time. */
const countsOnly = new Set(['cache_counters', 'cache_hits'])
// a refusal is recorded, which is not an effect of the request
const kept: Record<string, string> = { audit_log: "WHERE event <> 'permission_denied'" }

/** All rows of all tables, for comparison with a later state. */
export function dump(nines: TestApp): Record<string, unknown[]> {
  const { rows, close } = openDump(nines)
  const dumped = rows()
  close()
  return dumped
}

/** `rows` is a `dump` each time, from one connection with prepared statements; `close` must come before that of the nines. */
export function openDump({ dataDir }: TestApp): { rows(): Record<string, unknown[]>; close(): void } {
  const db = new Database(join(dataDir, 'nines.db'), { readonly: true })
  const tables = db
    .prepare<[], { name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
  const statements = tables
    .filter(({ name }) => !countsOnly.has(name))
    .map(({ name }) => [name, db.prepare<[], unknown>(`SELECT * FROM ${name} ${kept[name] ?? ''}`)] as const)
  return {
    rows: () => Object.fromEntries(statements.map(([name, statement]) => [name, statement.all()])),
    close: () => db.close(),
  }
}
