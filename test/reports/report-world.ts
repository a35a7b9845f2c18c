import { putBuckets } from '../../src/ledger/ledger-store.ts'
import { evaluated } from '../sli/ledger-fixtures.ts'
import { type Answer, testApp, type TestApp } from '../support/app.ts'
import { checkout } from '../support/slo-calls.ts'

const hour = 3600
const seconds = (iso: string) => Date.parse(iso) / 1000

/** October 2026 in Zurich: 745 hours, since the clocks go back. */
export const october = { startSeconds: seconds('2026-09-30T22:00:00Z'), endSeconds: seconds('2026-10-31T23:00:00Z') }

/** An hour after the end of October. */
export const madeAtMs = Date.parse('2026-11-01T00:00:00Z')

type Reported = {
  name: string
  target: number
  time_window?: string
  metric_query?: string
  labels?: Record<string, string>
  owner?: string
  /** Events, or seconds, of each hour. */
  perHour: number
  /** Failures by hour of the period. */
  bad?: Record<number, number>
  /** Hours of the period that were not measured, from and to. */
  missing?: [number, number]
}

const zurich = 'Europe/Zurich'
const service = (name: string) => ({ service: name, team: 'payments' })

/** Ten SLOs of a shop. */
const shop: Reported[] = [
  {
    name: 'Checkout answers',
    target: 99.9,
    labels: service('checkout'),
    owner: 'Payments on call',
    perHour: 12_000,
    bad: { 250: 5400, 251: 6300, 600: 900 },
  },
  {
    name: 'Payments are accepted',
    target: 99.95,
    time_window: 'month',
    labels: service('payments'),
    perHour: 4000,
    bad: { 100: 300 },
  },
  {
    name: 'Search within 500 ms',
    target: 99,
    time_window: 'week' as const,
    labels: { service: 'search' },
    perHour: 9000,
    bad: { 30: 3000, 420: 8200, 421: 8100 },
  },
  { name: 'Orders are confirmed by mail', target: 99.5, labels: service('orders'), perHour: 300, bad: { 500: 120 } },
  {
    name: 'Shop page is up',
    target: 99.9,
    metric_query: 'probe_success',
    time_window: '28d',
    perHour: hour,
    bad: { 251: 1260 },
  },
  { name: 'Login works', target: 99.9, labels: { service: 'login' }, perHour: 2500, bad: { 640: 12 } },
  { name: 'Product images load', target: 99, time_window: '7d', perHour: 40_000, bad: { 12: 2000 } },
  { name: 'Warehouse import is on time', target: 95, metric_query: 'import_success', perHour: hour, missing: [0, 600] },
  { name: 'Invoices are written', target: 99.9, labels: service('invoices'), perHour: 80 },
  {
    name: 'Recommendations answer',
    target: 98,
    labels: { service: 'recommendations' },
    perHour: 6000,
    bad: { 600: 5000 },
  },
]

/** A nines an hour after October with ten SLOs that were measured by the hour, incidents, deploys and changes. */
export async function reportWorld(env: Record<string, string> = {}): Promise<TestApp> {
  const nines = await testApp({ env, startMs: madeAtMs })
  await nines.join('ada')
  await fillReportWorld(nines)
  return nines
}

/** Gives a nines of ada, which stands an hour after October, the ten SLOs of the shop and what happened to them. */
export async function fillReportWorld(nines: TestApp): Promise<void> {
  const { write } = nines.app.db
  for (const [place, { name, target, labels = {}, owner = '', ...slo }] of shop.entries()) {
    const { time_window = '30d', metric_query = checkout.metric_query } = slo
    const zone = /^\d/.test(time_window) ? {} : { time_zone: zurich }
    const body = { ...checkout, name, target, time_window, metric_query, labels, owner, ...zone }
    const { status } = await nines.call('POST', '/api/v1/slos', body)
    if (status !== 201) throw new Error(`SLO ${place} was refused`)
    await addHours(nines, place + 1, slo)
  }
  await write.updateTable('slos').set({ updated_at: madeAtMs }).execute()
  await sinceSeptember(nines)
  await write.updateTable('backfills').set({ status: 'done' }).execute()
  for (const place of shop.keys()) await evaluated(nines, place + 1, { atSeconds: madeAtMs / 1000 - 60 })
  await addEvents(nines)
}

async function sinceSeptember({ app }: TestApp): Promise<void> {
  const createdAt = Date.parse('2026-09-01T00:00:00Z')
  await app.db.write
    .updateTable('slos')
    .set({ created_at: createdAt } as object)
    .execute()
}

async function addHours(
  { app }: TestApp,
  sloId: number,
  { perHour, bad = {}, missing = [0, 0] }: Omit<Reported, 'name' | 'target'>,
) {
  const { startSeconds, endSeconds } = october
  const hours = Array.from({ length: (endSeconds - startSeconds) / hour }, (_, n) => n)
  const measured = hours.filter((n) => n < missing[0] || n >= missing[1])
  const common = { sloId, revision: 1, resolution: hour as 3600, coveredSeconds: hour, leadGood: 0, leadTotal: 0 }
  const buckets = measured.map((n) => {
    return { ...common, startSeconds: startSeconds + n * hour, good: perHour - (bad[n] ?? 0), total: perHour }
  })
  await app.db.write.transaction().execute((trx) => putBuckets(trx, buckets))
}

async function addEvents(nines: TestApp): Promise<void> {
  const { write } = nines.app.db
  const incident = (slo_id: number, from: string, to: string, more: object = {}) => {
    const [began_at, ended] = [seconds(from), seconds(to)]
    return {
      organization_id: 1,
      slo_id,
      severity: 'critical' as const,
      state: 'closed' as const,
      began_at,
      opened_at: began_at + 120,
      since: began_at,
      recovered_at: ended,
      closed_at: ended + 900,
      close_reason: 'recovered' as const,
      relapses: 0,
      ...more,
    }
  }
  const cause = JSON.stringify({ label: 'route', value: '/pay', failures_percent: 100, traffic_percent: 32 })
  await write
    .insertInto('incidents')
    .values([
      incident(1, '2026-10-11T08:10:00Z', '2026-10-11T09:40:00Z', { cause }),
      incident(5, '2026-10-11T09:12:00Z', '2026-10-11T09:33:00Z', { reason: 'HTTP 503, expected 200' }),
      incident(3, '2026-10-18T10:04:00Z', '2026-10-18T11:58:00Z'),
      incident(10, '2026-10-25T22:00:00Z', '2026-10-25T22:50:00Z', { severity: 'warning' }),
      incident(2, '2026-09-12T02:00:00Z', '2026-09-12T02:50:00Z'),
    ])
    .execute()
  const text = 'v1.4.2 sent all orders to one shard.\n\n- Rolled back at 11:35\n- The shard key is checked in CI now'
  await nines.call('PUT', '/api/v1/incidents/1/account', { text, url: 'https://wiki.example.com/incidents/1' })
  const deploy = (at: string, version: string, name: string) => ({
    organization_id: 1,
    kind: 'deploy' as const,
    labels: JSON.stringify({ service: name }),
    version,
    url: `https://ci.example.com/${name}/${version}`,
    text: '',
    at: Date.parse(at),
    created_by: 1,
    created_at: Date.parse(at),
  })
  await write
    .insertInto('annotations')
    .values([
      deploy('2026-10-11T08:00:00Z', 'v1.4.2', 'checkout'),
      deploy('2026-10-11T09:36:00Z', 'v1.4.1', 'checkout'),
      deploy('2026-10-20T12:00:00Z', 'v88', 'search'),
      deploy('2026-10-20T12:00:00Z', 'v3', 'nobody'),
      deploy('2026-09-20T12:00:00Z', 'v1.4.0', 'checkout'),
    ])
    .execute()
  const alert = (slo_id: number, severity: 'page' | 'ticket' | 'critical', at: string) => {
    return {
      organization_id: 1,
      slo_id,
      name: 'burn_rate:3600:300',
      severity,
      began_at: seconds(at),
      ended_at: seconds(at) + 900,
    }
  }
  await write
    .insertInto('alerts')
    .values([
      alert(1, 'page', '2026-10-11T08:12:00Z'),
      alert(1, 'ticket', '2026-10-25T22:12:00Z'),
      alert(3, 'page', '2026-10-18T10:06:00Z'),
      alert(3, 'critical', '2026-09-18T10:06:00Z'),
    ])
    .execute()
  await write
    .insertInto('slo_changes')
    .values({
      slo_id: 4,
      event: 'changed',
      revision: 1,
      fields: JSON.stringify({ target: [99.9, 99.5], description: ['', 'By mail'] }),
      changed_by: 1,
      changed_at: Date.parse('2026-10-14T09:00:00Z'),
    })
    .execute()
  const period = { time_zone: zurich, revision: 1, note: null, frozen_at: madeAtMs }
  const week = (start: string, end: string, sli: number) => ({
    ...period,
    slo_id: 3,
    time_window: 'week' as const,
    starts_at: seconds(start),
    ends_at: seconds(end),
    target: 99,
    sli,
    good_events: null,
    total_events: null,
  })
  const month = { starts_at: october.startSeconds, ends_at: october.endSeconds, target: 99.95 }
  await write
    .insertInto('slo_periods')
    .values([
      {
        ...period,
        ...month,
        slo_id: 2,
        time_window: 'month',
        sli: 99.99,
        good_events: 2_979_702,
        total_events: 2_980_000,
      },
      week('2026-09-27T22:00:00Z', '2026-10-04T22:00:00Z', 99.8),
      week('2026-10-04T22:00:00Z', '2026-10-11T22:00:00Z', 100),
      week('2026-10-11T22:00:00Z', '2026-10-18T22:00:00Z', 98.92),
      week('2026-10-18T22:00:00Z', '2026-10-25T23:00:00Z', 100),
    ])
    .execute()
}

/** Makes the report of October and returns it as the API has it. */
export async function madeReport(nines: TestApp, sent: object = {}) {
  const body = { interval: 'month', time_zone: zurich, day: '2026-10-15', ...sent }
  const requested = await nines.call('POST', '/api/v1/reports', body)
  await nines.app.reports.run()
  return nines.call('GET', `/api/v1/reports/${requested.body.data.id}`)
}

/** Sends a request as ada, who signs in again: the clock may have jumped past her token. */
export async function callLater(nines: TestApp, method: string, path: string, body?: unknown): Promise<Answer> {
  const credentials = { email: 'ada@example.com', password: 'correct horse' }
  const { body: signedIn } = await nines.call('POST', '/api/v1/auth/login', credentials, { token: null })
  return nines.call(method, path, body, { token: signedIn.access_token })
}
