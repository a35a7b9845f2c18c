import { afterEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { pruneToQuota } from '../../src/jobs/prune.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { newOrganizationUser } from '../support/people.ts'
import { hook, slo } from '../support/quota-cases.ts'

let nines: TestApp
afterEach(() => nines.close())

const post = (path: string, body: unknown, token?: string) =>
  nines.call('POST', `/api/v1${path}`, body, token === undefined ? {} : { token })

/** An SLO and a channel in each of the organizations 1 and 2. */
async function start(env: Record<string, string>) {
  nines = await testApp({ env })
  for (const name of ['ada', 'eve']) {
    const { token } = await newOrganizationUser(nines, name)
    await post('/slos', slo, token)
    await post('/notifications/channels', { name: 'c', ...hook }, token)
  }
}
const idsIn = async (
  table: 'notifications' | 'executions' | 'silences' | 'alerts' | 'incidents' | 'audit_log',
  organizationId: number,
) =>
  (
    await nines.app.db.read
      .selectFrom(table)
      .select('id')
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute()
  ).map(({ id }) => id)

test('of each history the newest QUOTA_HISTORY_ROWS of an organization stay, and all that is still of use', async () => {
  await start({ QUOTA_HISTORY_ROWS: '2' })
  const { write } = nines.app.db
  const of = { organization_id: 1, slo_id: 1 }
  for (let number = 1; number <= 4; number += 1) {
    const until = number === 1 ? testStartMs + 1 : testStartMs - 10
    const times = { starts_at: 0, until, created_by: null, created_at: 0 }
    await write
      .insertInto('silences')
      .values({ ...of, labels: null, comment: '', ...times })
      .execute()
    const alert = { ...of, name: `budget:${number}`, severity: 'warning', began_at: 0 } as const
    await write
      .insertInto('alerts')
      .values({ ...alert, ended_at: number === 1 ? null : number })
      .execute()
    const began = { began_at: 0, opened_at: 0, since: 0, relapses: 0 }
    const end = number === 1 ? {} : ({ state: 'closed', closed_at: number, close_reason: 'recovered' } as const)
    await write
      .insertInto('incidents')
      .values({ ...of, severity: 'warning', state: 'down', ...began, ...end })
      .execute()
    const run = { executed_at: 0, duration_ms: 1, status: 'success', error: null, result_samples: 0 } as const
    const query_id = number === 1 ? 5 : null
    await write
      .insertInto('executions')
      .values({ ...of, ...run, query_id, metadata: '{}', created_at: 0 })
      .execute()
    const message = { slo_id: 1, channel_id: 1, alert_type: 'manual', subject: `${number}`, message: 'm' }
    await post('/notifications/rules', message)
  }
  await write.updateTable('notifications').set({ status: 'failed' }).where('id', '>', 2).execute()
  await write.updateTable('notifications').set({ status: 'delivered' }).where('id', '=', 2).execute()
  await sql`update notifications set alert_id = 1 where id = 2`.execute(write)
  for (let number = 5; number <= 6; number += 1) {
    await post('/notifications/rules', {
      slo_id: 1,
      channel_id: 1,
      alert_type: 'manual',
      subject: `${number}`,
      message: 'm',
    })
  }
  await write.updateTable('notifications').set({ status: 'failed' }).where('id', '>', 4).execute()
  const audited = await idsIn('audit_log', 1)
  const others = await idsIn('audit_log', 2)
  await pruneToQuota(nines.app)
  // queued; of a firing alert; the newest two
  expect(await idsIn('notifications', 1)).toEqual([1, 2, 5, 6])
  for (const table of ['silences', 'alerts', 'incidents', 'executions'] as const)
    expect(await idsIn(table, 1)).toEqual([1, 3, 4])
  expect(await idsIn('audit_log', 1)).toEqual(audited.slice(-2))
  expect(await idsIn('audit_log', 2)).toEqual(others.slice(-2))
})

test('of deleted SLOs those deleted last can be restored, as many as there may be; the others go with all they have left', async () => {
  await start({ QUOTA_SLOS: '2' })
  const { write, read } = nines.app.db
  const remove = (id: number) => nines.call('DELETE', `/api/v1/slos/${id}`)
  const made = [1]
  for (let number = 0; number < 4; number += 1) {
    if (number > 0) made.push((await post('/slos', slo)).body.id)
    nines.clock.advance(1)
    await remove(made.at(-1) ?? 0)
  }
  const [first = 0, second = 0, ...kept] = made
  const bucket = {
    revision: 1,
    resolution: 60,
    good: 1,
    total: 1,
    covered_seconds: 60,
    lead_good: 0,
    lead_total: 0,
  } as const
  for (let start = 0; start < 1500; start += 1) {
    await write
      .insertInto('buckets')
      .values({ slo_id: first, start: start * 60, ...bucket })
      .execute()
  }
  const active = (await post('/slos', slo)).body.id
  await pruneToQuota(nines.app)
  const left = await read.selectFrom('slos').select('id').where('organization_id', '=', 1).orderBy('id').execute()
  expect(left.map(({ id }) => id)).toEqual([...kept, active])
  expect(await read.selectFrom('buckets').select('slo_id').execute()).toEqual([])
  expect(await read.selectFrom('slo_revisions').select('slo_id').where('slo_id', '=', second).execute()).toEqual([])
  expect((await nines.call('PUT', `/api/v1/slos/${kept[0]}`, { active: true })).status).toBe(200)
})
