import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../src/db/open.ts'
import type { SealedColumn, SealedRow } from '../../src/db/sealing/seal.ts'
import type { Tables } from '../../src/db/tables/tables.ts'
import { defaultQuotas, type QuotaName } from '../../src/quotas.ts'
import type { TestApp } from './app.ts'
import type { Populated } from './populated.ts'

/** `share` (0 to 1) of each quota to fill; `series`: number of series, if not by that share. */
export type Fullness = { share?: number; series?: number }

/** SQL expressions for the columns in which a copy differs, over `n`: 1, 2, 3 and so on. */
type Changed = Record<string, string>

const openAlerts = 5000
const historyRows = 20_000
const causesOfOneSlo = 10
const hourSeconds = 3600
const daySeconds = 86_400

/** Characters that JSON, HTML, PromQL and templates escape, then letters of three bytes. */
const hostile = `\\"<b>&'{{x}}%s,=漢`
const wide = (length: number) => hostile.padEnd(length, '漢')
const plain = (length: number) => 'x'.repeat(length)

/**
 * Copies one thing of each kind in a populated organization up to its quotas, with the longest texts, hostile names, 5,000 open
 * alerts and 20,000 rows of history. Every second SLO has rollups: 30 days, 3 days of hours and 3 hours of minutes.
 */
export async function fillQuotas(nines: TestApp, own: Populated, { share = 1, series }: Fullness = {}): Promise<void> {
  const { db, samples } = nines.app
  const { things, organizationId } = own
  const some = (count: number) => Math.max(2, Math.round(count * share))
  const quota = (name: QuotaName) => some(defaultQuotas[name])
  const slos = quota('slos')
  await makeLong(db.write, own)
  const firstSlo = await nextId(db.write, 'slos')
  const firstChannel = await nextId(db.write, 'channels')
  const firstIncident = await nextId(db.write, 'incidents')
  const channels = quota('channels')
  const slo = (n: string) => `${firstSlo} + (${n}) % ${slos - 1}`
  const incident_id = `${firstIncident} + n % ${slos - 1}`
  const rulesEach = Math.min(causesOfOneSlo, channels - 1)
  const name = `substr(kept.name, 1, 193) || n`
  const all: [table: keyof Tables & string, where: RawBuilder<unknown>, count: number, changed: Changed][] = [
    ['slos', ofId(things.slo), slos - 1, { name }],
    ['slo_revisions', sql`slo_id = ${things.slo}`, slos - 1, { slo_id: slo('n - 1') }],
    ['slo_states', sql`slo_id = ${things.slo}`, slos - 1, { slo_id: slo('n - 1') }],
    [
      'teams',
      sql`organization_id = ${organizationId} and id = ${things.team}`,
      quota('teams') - 3,
      { id: 'n + 1000', name },
    ],
    [
      'users',
      ofId(things.user),
      quota('users') - 3,
      { name, email: `n || kept.email`, email_key: `n || kept.email_key` },
    ],
    ['data_sources', ofId(things.source), quota('sources') - 3, { name }],
    [
      'source_queries',
      ofId(things.sourceQuery),
      quota('queries') - 2,
      { query_name: `substr(kept.query_name, 1, 193) || n`, slo_id: slo('n') },
    ],
    [
      'invitations',
      ofId(things.invitation),
      quota('invitations') - 2,
      { email: `n || kept.email`, email_key: `n || kept.email_key`, hash: 'kept.hash || n' },
    ],
    ['api_tokens', ofId(things.apiToken), quota('tokens') - 2, { name, hash: 'kept.hash || n' }],
    ['oauth_clients', sql`id = ${things.oauthClient}`, quota('oauth_clients') - 2, { id: `kept.id || '-' || n` }],
    [
      'notification_rules',
      ofId(things.rule),
      (slos - 1) * rulesEach,
      {
        slo_id: slo('n'),
        incident_id,
        incident_event: "'opened'",
        relapse: '0',
        channel_id: `${firstChannel} + (n - 1) / ${slos - 1}`,
        message: `iif(n % 10 = 0, substr(kept.message, 1, 19990) || n, null)`,
        subject: `substr(kept.subject, 1, 490) || n`,
      },
    ],
    ['incidents', ofId(things.openIncident), slos - 1, { slo_id: slo('n') }],
    [
      'incidents',
      ofId(things.openIncident),
      some(historyRows),
      { slo_id: slo('n'), state: `'closed'`, closed_at: 'kept.began_at + 60', close_reason: `'recovered'` },
    ],
    ['incident_notes', sql`incident_id = ${things.openIncident}`, 199, {}],
    [
      'alerts',
      ofId(things.alert),
      some(openAlerts),
      { slo_id: slo('n'), incident_id, name: `'budget:' || (n / ${slos - 1} + 10)` },
    ],
    [
      'alerts',
      ofId(things.alert),
      some(historyRows),
      { slo_id: slo('n'), incident_id, ended_at: 'kept.began_at + 60' },
    ],
    [
      'notifications',
      ofId(things.notification),
      some(historyRows),
      {
        slo_id: slo('n'),
        channel_id: `${firstChannel} + n % ${channels - 1}`,
        idempotency_key: 'kept.idempotency_key || n',
        status: "'delivered'",
        message: `iif(n % 10 = 0, kept.message, 'm')`,
        subject: `kept.subject || n`,
      },
    ],
    [
      'silences',
      ofId(things.silence),
      quota('silences') - 2,
      { slo_id: `iif(n % 2 = 0, ${slo('n')}, null)`, labels: `iif(n % 2 = 0, null, kept.labels)` },
    ],
    ['reports', ofId(things.report), quota('reports') - 2, { schedule_id: 'NULL' }],
    ['report_schedules', ofId(things.reportSchedule), quota('report_schedules') - 2, { name }],
    ['corrections', ofId(things.correction), some(quota('corrections') - 2), {}],
    ['annotations', ofId(things.annotation), quota('annotations') - 2, { at: 'kept.at - n * 60000' }],
    ['scrape_targets', ofId(things.target), quota('targets') - 2, { name }],
    ['audit_log', sql`organization_id = ${organizationId} and event = 'slo_created'`, some(historyRows), {}],
    ['slo_changes', sql`slo_id = ${things.slo}`, 99, {}],
  ]
  const rowOf = (id: number) => ({ id, organization_id: organizationId })
  await copySealed(nines, 'channels.sealed_configuration', rowOf(things.channel), channels - 1)
  await copySealed(nines, 'probes.sealed_settings', rowOf(things.probe), quota('probes') - 2)
  await copySealed(nines, 'heartbeats.sealed_token', rowOf(things.heartbeat), quota('heartbeats') - 2)
  for (const [table, where, count, changed] of all) await copy(db.write, table, where, count, changed)
  await addPast(db.write, { firstSlo, slos: slos - 1, nowSeconds: Math.floor(nines.clock.now() / 1000) })
  addSeries(samples, organizationId, nines.clock.now(), series ?? quota('series'))
  await samples.flushCooperatively()
}

const ofId = (id: number) => sql`id = ${id}`

async function nextId(db: Db, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{
    next: number
  }>`select seq + 1 as next from sqlite_sequence where name = ${table}`.execute(db)
  return rows[0]?.next ?? 1
}

/** Copies the row that `where` finds; ids are new unless `changed` sets them. */
async function copy(db: Db, table: string, where: RawBuilder<unknown>, count: number, changed: Changed): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
  const columns = rows.map(({ name }) => name).filter((name) => name !== 'id' || name in changed)
  const values = columns.map((name) => changed[name] ?? `kept."${name}"`).join(', ')
  await sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
    select ${sql.raw(values)} from numbers cross join (select * from ${sql.table(table)} where ${where} limit 1) as kept
    where n <= ${count}`.execute(db)
}

/** Sets the longest permitted texts on the first thing of each kind. */
async function makeLong(db: Db, { things }: Populated): Promise<void> {
  const query = (code: string) => `sum(rate(requests_total{code="${code}",path!="${plain(9900)}"}[5m]))`
  const [good_query, total_query] = [query('200'), query('.+')]
  const labels = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`l${at}`.padEnd(63, '_'), wide(200)]))
  const definition = { metric_query: null, good_query, bad_query: null, total_query }
  const set = async <Name extends keyof Tables & string>(table: Name, where: RawBuilder<unknown>, values: object) => {
    const changes = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
    await sql`update ${sql.table(table)} set ${sql.join(changes)} where ${where}`.execute(db)
  }
  await set('slos', ofId(things.slo), {
    ...definition,
    name: wide(200),
    description: wide(4000),
    labels: JSON.stringify(labels),
  })
  await sql`update slo_revisions set definition = json_patch(definition, ${JSON.stringify({ good_query, total_query })})
    where slo_id = ${things.slo}`.execute(db)
  const named = { name: wide(200) }
  await set('users', ofId(things.user), named)
  await set('api_tokens', ofId(things.apiToken), named)
  await set('data_sources', ofId(things.source), { ...named, api_url: `http://127.0.0.1:1/${plain(1900)}` })
  await set('channels', ofId(things.channel), { ...named, last_error: wide(1000) })
  await set('scrape_targets', ofId(things.target), { ...named, is_active: 0, url: `http://127.0.0.1:1/${plain(1900)}` })
  await set('heartbeats', ofId(things.heartbeat), { ...named, is_active: 0 })
  await set('probes', ofId(things.probe), { ...named, is_active: 0 })
  await set('oauth_clients', sql`id = ${things.oauthClient}`, { name: wide(100) })
  await set('source_queries', ofId(things.sourceQuery), {
    query_name: wide(200),
    source_query: good_query,
    is_active: 0,
  })
  await set('notification_rules', ofId(things.rule), { subject: wide(500), message: wide(20_000) })
  await set('notifications', ofId(things.notification), { message: wide(20_000) })
  await set('silences', ofId(things.silence), { comment: wide(1000) })
  await set('corrections', ofId(things.correction), { text: wide(1000) })
  await set('annotations', ofId(things.annotation), { version: wide(200), text: wide(1000) })
  const acknowledgement = {
    acknowledged_at: 1,
    acknowledged_by_name: wide(200),
    acknowledgement_note: wide(1000),
  }
  await set('incidents', ofId(things.openIncident), { ...acknowledgement, reason: wide(1000) })
  await set('incident_notes', sql`incident_id = ${things.openIncident}`, { note: wide(1000) })
  await set('alerts', ofId(things.alert), {
    incident_id: things.openIncident,
    ...acknowledgement,
  })
}

async function addPast(db: Db, { firstSlo, slos, nowSeconds }: { firstSlo: number; slos: number; nowSeconds: number }) {
  const today = Math.floor(nowSeconds / daySeconds) * daySeconds
  const hour = Math.floor(nowSeconds / hourSeconds) * hourSeconds
  const past = [
    [daySeconds, today - 30 * daySeconds, today],
    [hourSeconds, today - 3 * daySeconds, hour],
    [60, hour - 3 * hourSeconds, Math.floor(nowSeconds / 60) * 60],
  ] as const
  for (const [resolution, from, to] of past) {
    await sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${slos - 1}),
        starts (start) as (select ${from} union all select start + ${resolution} from starts where start + ${resolution} < ${to})
      insert into buckets (slo_id, revision, resolution, start, good, total, covered_seconds, lead_good, lead_total)
      select ${firstSlo} + n, 1, ${resolution}, start, ${resolution} * 9.5, ${resolution} * 10, ${resolution}, 0, 0
      from numbers cross join starts where n % 2 = 0`.execute(db)
  }
}

/** Copies a row whose settings are sealed for its id. */
async function copySealed({ app: { db, seal } }: TestApp, column: SealedColumn, of: SealedRow, count: number) {
  const [table, sealed] = column.split('.') as ['probes', 'sealed_settings']
  const kept = await db.read.selectFrom(table).selectAll().where('id', '=', of.id).executeTakeFirstOrThrow()
  const settings = seal.unseal(kept[sealed], column, of)
  const first = (await nextId(db.write, table)) - 1
  await db.write.transaction().execute(async (trx) => {
    for (let n = 1; n <= count; n += 1) {
      const id = first + n
      const own = { [sealed]: seal.seal(settings, column, { ...of, id }) }
      await trx
        .insertInto(table)
        .values({
          ...kept,
          id,
          name: `${kept.name.slice(0, 193)}${n}`,
          ...('token_hash' in kept && { token_hash: `${n}` }),
          ...own,
        })
        .execute()
    }
  })
}

function addSeries(samples: TestApp['app']['samples'], organizationId: number, nowMs: number, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const labels = {
      __name__: `requests_total`,
      code: n % 10 === 0 ? '500' : '200',
      job: `job ${n % 500}`,
      path: `${wide(60)}${n}`,
    }
    samples.append(organizationId, Object.entries(labels) as never, nowMs - 60_000, n)
  }
}
