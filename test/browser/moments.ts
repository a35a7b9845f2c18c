import { tiers } from '../notifications/alerts/alerting.ts'
import { measured } from '../sli/ledger-fixtures.ts'
import { evaluated } from './evaluated.ts'
import type { SloState } from '../../src/slos/arithmetic/state.ts'
import type { World } from './world.ts'

const minute = 60
const hour = 3600
const day = 24 * hour
const month = 30 * day
const target = 99.9

type State = {
  state: SloState
  /** Seconds before the start of the test; null: not known. */
  since?: number
  reason?: string
  rate?: number
}
/** Failed share, 0..1, of a time in seconds before the start of the test. */
type Failing = { from: number; to: number; share: number }
type Moment = State & {
  name: string
  isTime?: boolean
  failing: Failing[]
  alerts?: string[]
  /** Channels that were notified of its incident. */
  notified?: string[]
  labels?: object
  tier?: 1 | 24
}

const lastWeek = { from: 5 * day, to: 5 * day - hour, share: 0.5 }

/** SLOs of 30 days, one in each state and some at the bounds of their words. */
export const moments: Moment[] = [
  {
    name: 'My site answers',
    isTime: true,
    state: 'down',
    since: 8 * minute,
    reason: 'HTTP 503, expected 2xx',
    rate: 1000,
    failing: [{ from: 8 * minute, to: 0, share: 1 }],
    alerts: ['down'],
    notified: ['ntfy', 'mail'],
  },
  {
    name: 'Checkout answers',
    state: 'burning_fast',
    since: 6 * minute,
    rate: 171,
    failing: [lastWeek, { from: 6 * minute, to: 0, share: 0.171 }],
    alerts: ['burn_rate:3600:300'],
    tier: 1,
    labels: { tier: '1' },
  },
  {
    name: 'Search within 500 ms',
    state: 'burning',
    since: 5 * hour,
    rate: 3.2,
    failing: [lastWeek, { from: 5 * hour, to: 0, share: 0.0032 }],
    alerts: ['burn_rate:86400:7200'],
    tier: 24,
  },
  {
    name: 'Orders answer',
    isTime: true,
    state: 'recovering',
    since: 4 * minute,
    rate: 0,
    failing: [{ from: 16 * minute, to: 4 * minute, share: 1 }],
  },
  {
    name: 'Payments work',
    state: 'spent',
    since: 2 * day,
    rate: 0,
    failing: [{ from: 12 * day, to: 12 * day - 4 * hour, share: 0.6 }],
  },
  {
    name: 'The old forum answers',
    isTime: true,
    state: 'spent',
    since: 9 * day,
    rate: 0.3,
    failing: [{ from: 20 * day, to: 10 * day, share: 1 }],
  },
  {
    name: 'Nightly job with a name that is rather too long for the column of names in which it stands',
    state: 'unknown',
    since: 29 * minute,
    reason: 'source_error',
    failing: [lastWeek],
    alerts: ['down'],
  },
  { name: 'Reports are made', state: 'unknown', since: 70 * minute, reason: 'no_traffic', failing: [] },
  {
    name: 'Login answers',
    state: 'ok',
    since: day,
    rate: 0.1,
    failing: [{ from: 3 * day, to: 3 * day - hour, share: 0.17 }],
  },
  { name: 'Help pages answer', isTime: true, state: 'ok', since: day, rate: 0, failing: [] },
  { name: 'Fresh one', state: 'measuring', failing: [] },
]

const channels = ['ntfy', 'mail']

/** Stores the SLOs of all moments, with their past in the ledger; returns their ids by name. */
export async function withMoments(world: World): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const name of channels) {
    const configuration = { webhook_url: 'http://127.0.0.1:9/hook' }
    await world.nines.call('POST', '/api/v1/notifications/channels', { name, channel_type: 'webhook', configuration })
  }
  for (const moment of moments) {
    const { name, labels = {} } = moment
    const id = await world.made({ name, target, time_window: '30d', labels })
    ids.set(name, id)
    if (moment.state !== 'measuring') await store(world, id, moment)
  }
  return ids
}

async function store(
  { nines }: World,
  sloId: number,
  { isTime = false, failing, alerts = [], tier, ...moment }: Moment,
) {
  const perMinute = isTime ? 60 : 100
  const failedSeconds = (from: number, to: number) =>
    failing.reduce((sum, one) => sum + one.share * Math.max(0, Math.min(-one.to, to) - Math.max(-one.from, from)), 0)
  const until = moment.state === 'unknown' ? -(moment.since ?? 0) : 0
  const fill = async (resolution: 60 | 3600 | 86_400, from: number, to: number) => {
    for (let at = from; at < to; at += resolution) {
      const total = (perMinute * resolution) / 60
      const bad = (perMinute * failedSeconds(at, at + resolution)) / 60
      const end = at + resolution
      if (bad > 0 || resolution === 86_400)
        await measured(nines, { sloId, resolution, from: at, to: end }, { good: total - bad, total })
    }
    // whole runs without failures in one statement
    let start = from
    for (let at = from; at <= to; at += resolution) {
      if (at < to && failedSeconds(at, at + resolution) === 0) continue
      if (at > start && resolution !== 86_400) {
        const total = (perMinute * resolution) / 60
        await measured(nines, { sloId, resolution, from: start, to: at }, { good: total, total })
      }
      start = at + resolution
    }
  }
  const midnight = -10 * hour // the test starts at 10:00 UTC
  await fill(86_400, midnight - 30 * day, midnight)
  await fill(3600, midnight - 30 * day, Math.floor(until / hour) * hour)
  await fill(60, midnight - day, Math.floor(until / minute) * minute)
  const total = (perMinute * month) / 60
  const bad = (perMinute * failedSeconds(-month, 0)) / 60
  const budgetUsed = (100 * bad) / (total * (1 - target / 100))
  const counts = isTime ? {} : { goodEvents: total - bad, totalEvents: total }
  const { state, since, reason, rate } = moment
  const isAway = reason === 'source_error'
  await evaluated(nines, sloId, {
    own: 100 - (100 * bad) / total,
    budgetUsed,
    recent:
      rate === undefined
        ? null
        : { seconds: 300, rate, events: null, badEvents: null, isBeyondChance: true, isCovered: true },
    ...(isAway && { status: 'unknown', reason, message: 'metrics source did not answer' }),
    ...counts,
    ...tiers(tier === undefined ? {} : { [tier]: true }),
    state,
    sinceSecondsAgo: since ?? null,
    stateReason: reason ?? null,
  })
  const incident_id =
    alerts.length > 0 || state === 'recovering' ? await openIncident(nines, sloId, moment, failing) : null
  const began_at = nines.clock.now() / 1000 - (since ?? 0)
  for (const name of alerts) {
    const severity = name === 'burn_rate:86400:7200' ? 'ticket' : 'critical'
    const alert = { organization_id: 1, slo_id: sloId, incident_id, name, severity, began_at, ended_at: null } as const
    await nines.app.db.write.insertInto('alerts').values(alert).execute()
  }
}

type Happened = Pick<Moment, 'state' | 'since' | 'reason' | 'rate' | 'notified'>

function isOfIncident(state: Moment['state']): state is 'down' | 'burning_fast' | 'burning' | 'recovering' {
  return state === 'down' || state === 'burning_fast' || state === 'burning' || state === 'recovering'
}

/** Stores the open incident of an SLO, and the notifications of it, 20 s after its begin. */
async function openIncident({ app, clock }: World['nines'], slo_id: number, of: Happened, failing: Failing[]) {
  const { state, since = 0, reason = null, rate = null, notified = [] } = of
  const nowSeconds = clock.now() / 1000
  const isOver = state === 'recovering'
  const began_at = nowSeconds - (isOver ? (failing.at(-1)?.from ?? 0) : since)
  const { id } = await app.db.write
    .insertInto('incidents')
    .values({
      organization_id: 1,
      slo_id,
      severity: state === 'burning' ? 'warning' : 'critical',
      state: isOfIncident(state) ? state : 'unknown',
      began_at,
      opened_at: began_at + 15,
      since: began_at,
      recovered_at: isOver ? nowSeconds - since : null,
      relapses: 0,
      reason: state === 'unknown' ? 'HTTP 503, expected 2xx' : reason,
      peak_burn_rate: isOver ? 1000 : rate,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const name of notified) {
    const sentMs = 1000 * (began_at + 20)
    await app.db.write
      .insertInto('notifications')
      .values({
        ...message,
        idempotency_key: `${name} ${id}`,
        slo_id,
        incident_id: id,
        channel_id: channels.indexOf(name) + 1,
        sent_at: sentMs,
        created_at: sentMs,
      })
      .execute()
  }
  return id
}

const message = {
  organization_id: 1,
  rule_id: null,
  channel_type: 'webhook',
  event: 'alert',
  incident_event: 'opened',
  alert_type: 'down',
  status: 'delivered',
  priority: 'critical',
  subject: 's',
  message: 'm',
  metadata: '{}',
  content_hash: 'x',
  retry_count: 0,
  max_retries: 3,
  error_message: '',
  next_attempt_at: 0,
  leased_until: null,
  sealed_configuration: null,
  delivered_at: null,
  updated_at: 0,
} as const
