import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'
import type { Log } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import { attempt, reasonOf } from './attempt.ts'
import type { BackoffConfig } from './backoff.ts'
import type { ChannelDeps } from '../channels/channel.ts'
import { type Opened, openConfiguration, type Sealed } from '../configurations.ts'
import { findChannel, listAlerted } from './delivery-store.ts'
import { messageOf } from './message.ts'
import { givenBack, heldBack, leftOut, refused, type Settled, settle } from './settled.ts'

export type DeliverDeps = {
  db: Database
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'delivered'>
  seal: Seal
  channels: ChannelDeps
  config: BackoffConfig
  instanceId: string
  random: () => number
  /** How long an attempt may take, from when on it is slow, and from when on it only waits. */
  patienceMs: number
  slowMs: number
  lateMs: number
}

type Attending = {
  signal: AbortSignal
  onTrouble: (isTroubled: boolean) => void
  onLate: (isLate: boolean) => void
}

/** Delivers one notification that was taken, if it is still to be delivered, and gives what became of it. */
export async function deliver(
  deps: DeliverDeps,
  row: NotificationRow,
  { signal, onTrouble, onLate }: Attending,
): Promise<Settled> {
  const { clock, log, metrics, patienceMs, slowMs, lateMs } = deps
  const way = await wayTo(deps, row)
  if ('refusal' in way) {
    log.warn('notification not delivered', { notification_id: row.id, channel_id: row.channel_id, error: way.refusal })
    metrics.delivered(row.channel_type, 'failed')
    return refused(row, way.refusal, clock.now())
  }
  const { opened, sealed, opensIncident } = way
  const message = messageOf({ ...deps, ...deps.channels }, row)
  if (message.isAboutRule && opened.type.opensIncidents) return leftOut(row, clock.now())
  const attemptedAtMs = clock.now()
  const began = performance.now()
  const onSlow = () => onTrouble(true)
  const timer = setTimeout(() => onLate(true), lateMs)
  const outcome = await attempt(deps, opened, message, { patienceMs, slowMs, onSlow, signal }).finally(() => {
    clearTimeout(timer)
    onLate(false)
  })
  if (!outcome) return givenBack(row, clock.now())
  if (outcome.outcome === 'held') return heldBack(row, outcome, clock.now())
  const durationMs = Math.round(performance.now() - began)
  const isTroubled = durationMs > slowMs || outcome.outcome === 'retry' || outcome.outcome === 'failed'
  onTrouble(isTroubled)
  const tried = { outcome, sealed, opensIncident, attemptedAtMs, durationMs, isTroubled }
  const settled = settle(row, tried, clock.now(), deps.config, deps.random)
  const { status, channel_id, error_message: error } = settled
  metrics.delivered(row.channel_type, status === 'failed' ? 'failed' : outcome.outcome)
  if (status === 'failed') log.warn('notification not delivered', { notification_id: row.id, channel_id, error })
  return settled
}

/** With what a notification is sent; `sealed` is the same as it is stored. */
type Way = { opened: Opened; sealed: string; opensIncident: boolean }

/** How to deliver a notification, or why that cannot be. */
async function wayTo({ db, seal }: DeliverDeps, row: NotificationRow): Promise<Way | { refusal: string }> {
  const channel = await findChannel(db.read, row.channel_id)
  if (!channel) return { refusal: 'the channel was deleted' }
  if (channel.enabled === 0) return { refusal: 'the channel is disabled' }
  const target = row.event === 'recovery' ? await whereItsAlertWent(db, row, channel) : channel
  if (!target) return { refusal: 'the alert it ends was never delivered' }
  try {
    const opened = openConfiguration(seal, target)
    // What a channel of another type opened could not be closed with this configuration.
    const opensIncident =
      row.event === 'alert' && opened.type.opensIncidents && row.channel_type === target.channel_type
    return { opened, sealed: target.sealed_configuration, opensIncident }
  } catch (error) {
    return { refusal: `the configuration of the channel cannot be read: ${reasonOf(error)}` }
  }
}

/** With what the alert opened an incident there, the channel as it is now where it did not, null where it never arrived. */
async function whereItsAlertWent(
  { read }: Database,
  { alert_id, channel_id }: NotificationRow,
  channel: Sealed,
): Promise<Sealed | null> {
  const alerted = alert_id === null ? [] : await listAlerted(read, alert_id, channel_id)
  const arrived = alerted.filter(({ status }) => status === 'sent' || status === 'delivered')
  if (arrived.length === 0 && alerted.some(({ status }) => status === 'failed')) return null
  const opener = arrived.find(({ sealed_configuration }) => sealed_configuration !== null)
  if (!opener?.sealed_configuration) return channel
  return { ...channel, channel_type: opener.channel_type, sealed_configuration: opener.sealed_configuration }
}
