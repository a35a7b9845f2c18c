import { type Clock, stopwatch } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'
import type { Log } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import { isAcknowledged } from '../alerts/acknowledgement-store.ts'
import { isIncidentTool } from '../alerts/draft-recoveries.ts'
import type { ChannelDeps } from '../channels/channel.ts'
import { type Opened, openConfiguration, type Sealed } from '../configurations.ts'
import { attempt, messageOf, reasonOf, storedData } from './attempt.ts'
import { claimNotifications, findReceiver, listAlerted, listById, type Receiver } from './delivery-store.ts'
import { type Zone, zoneOf } from '../../zone.ts'
import {
  isLowerSeverityRecovery,
  listOpeningsOfLevel,
  maySendLowerSeverityRecovery,
} from '../incidents/lower-severity-recovery-store.ts'
import { attempted, type BackoffConfig, type DeliveryOutcome, failed, postponed, released, skipped } from './outcome.ts'
import type { OutcomeWriter } from './outcome-store.ts'

export type DeliverDeps = {
  db: Database
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'delivered'>
  seal: Seal
  channels: ChannelDeps
  config: BackoffConfig
  instanceId: string
  isClosing: () => boolean
  random: () => number
  writer: OutcomeWriter
  limits: { timeoutMs: number; slowMs: number; turnMs: number }
}

/** Turn of a channel: the delivery of at most `max` of its notifications. */
type Turn = {
  channelId: number
  max: number
  /** Aborts the attempt under way. */
  signal: AbortSignal
  /** Called when all is sent; true if other turns still send, so that outcomes may share a commit. */
  onSent: () => boolean
  /** Called when an attempt becomes slow, and when it has ended; `isTroubled`: it failed or was slow. */
  onTrouble: (isTroubled: boolean) => void
}

/** Lease of a claimed notification; longer than any turn takes. */
const leaseMs = 120_000

/**
 * Claims the oldest notifications of a channel, at most `max`, and delivers them one after the other. Stops when one fails, is slow
 * or must be retried later, or after `turnMs`; the rest are released. Resolves when all outcomes are on disk; true if any was
 * claimed.
 */
export async function deliverTurn(deps: DeliverDeps, turn: Turn): Promise<boolean> {
  const { db, clock, writer, isClosing, limits } = deps
  const nowMs = clock.now()
  const endsMs = stopwatch.now() + limits.turnMs
  const channel = createChannel(deps, turn.channelId)
  const claim = { max: turn.max, nowMs, leasedUntilMs: nowMs + leaseMs }
  const rows = await db.groupCommit((trx) => claimNotifications(trx, turn.channelId, claim))
  const writes: Promise<void>[] = []
  let isOver = false
  const onTrouble = (isTroubled: boolean) => {
    isOver ||= isTroubled
    turn.onTrouble(isTroubled)
  }
  const flushWrites = async (later = false) => {
    writer.flush(later)
    await Promise.allSettled(writes) // if one fails, the others must end before this throws
    await Promise.all(writes)
  }
  for (const row of rows) {
    await writer.waitForRoom()
    if (followsAlert(row)) await flushWrites() // it is sent with the configuration stored in the outcome of its alert
    if (writer.isHolding()) {
      await flushWrites() // a notification sent while outcomes cannot be stored would be sent again after a kill
      isOver = true // the rest have waited too long: they are released and claimed again
    }
    const outcome: DeliveryOutcome =
      isOver || isClosing() ? released(row, clock.now()) : await deliver(deps, row, { ...turn, channel, onTrouble })
    isOver ||= outcome.status === 'pending' || stopwatch.now() > endsMs
    const write = writer.write(outcome)
    write.catch(() => (isOver = true)) // thrown below
    writes.push(write)
  }
  await flushWrites(turn.onSent())
  return rows.length > 0
}

async function deliver(
  deps: DeliverDeps,
  row: NotificationRow,
  { signal, onTrouble, channel }: Pick<Turn, 'signal' | 'onTrouble'> & { channel: Channel },
): Promise<DeliveryOutcome> {
  const { clock, metrics, limits } = deps
  const receiver = await receiverOf(deps, row, channel)
  if ('refusal' in receiver) {
    metrics.delivered(row.channel_type, 'failed')
    return logFailure(deps, failed(row, receiver.refusal, clock.now()))
  }
  const { opened, sealed, opensIncident, zone } = receiver
  const message = { ...messageOf({ ...deps, ...deps.channels }, row), zone }
  if (message.isAboutRule && opened.type.opensIncidents) return skipped(row, onlyInformsReason, clock.now())
  // a recovery of the lower severity, at a tool that has opened a second incident for the higher one
  if (isLowerSeverityRecovery(row) && !(await maySendLowerSeverityRecovery(deps.db.read, row)))
    return failed(row, notRaisedReason, clock.now())
  if (row.event === 'acknowledgement' && !(await canAcknowledge(deps.db, row, opened)))
    return skipped(row, notDueReason, clock.now())
  const attemptedAtMs = clock.now()
  const beganMs = stopwatch.now()
  const timer = setTimeout(() => onTrouble(true), limits.slowMs)
  const outcome = await attempt(deps, opened, message, { ...limits, signal }).finally(() => clearTimeout(timer))
  if (!outcome) return released(row, clock.now())
  if (outcome.outcome === 'held') return postponed(row, outcome, clock.now())
  const durationMs = Math.round(stopwatch.now() - beganMs)
  onTrouble(durationMs > limits.slowMs || 'error' in outcome)
  const attemptMade = { outcome, sealed, opensIncident, attemptedAtMs, durationMs }
  const ended = attempted(row, attemptMade, clock.now(), deps.config, deps.random)
  metrics.delivered(row.channel_type, ended.status === 'failed' ? 'failed' : outcome.outcome)
  return logFailure(deps, ended)
}

/** Reasons why a notification is skipped, or counts as failed. */
const onlyInformsReason = 'it only informs, and each message to this type of channel opens an incident'
const notRaisedReason = 'the higher severity was not accepted: the incident stays open with the lower one'
const notDueReason = 'the alert has ended or is no longer acknowledged, or the channel cannot acknowledge it'

/** True if the channel can acknowledge incidents, and the alert is still acknowledged: the receiver would take a later alert with the same key for it. */
async function canAcknowledge({ read }: Database, { alert_id }: NotificationRow, { type }: Opened): Promise<boolean> {
  return type.acknowledgesIncidents === true && alert_id !== null && isAcknowledged(read, alert_id)
}

/** True if the notification must follow its alert, to the same receiver. */
function followsAlert({ event }: NotificationRow): boolean {
  return event === 'recovery' || event === 'acknowledgement'
}

/** Logs an outcome that is a failure, and returns the outcome. */
function logFailure({ log }: DeliverDeps, outcome: DeliveryOutcome): DeliveryOutcome {
  const { id: notification_id, channel_id, status, error_message: error } = outcome
  if (status === 'failed') log.warn('notification not delivered', { notification_id, channel_id, error })
  return outcome
}

/** Channel with cached row and configuration; rereads or reopens them only if they may have changed. */
type Channel = { row(): Promise<Receiver | undefined>; open(target: Sealed): Opened }

function createChannel({ db, seal }: DeliverDeps, id: number): Channel {
  let cached: { uses: number; row: Receiver | undefined } | undefined
  let last: { target: Sealed; opened: Opened } | undefined
  return {
    async row() {
      const uses = db.uses()
      if (cached?.uses !== uses) cached = { uses, row: await findReceiver(db.read, id) }
      return cached.row
    },
    open(target) {
      const { channel_type, sealed_configuration } = target
      const isLast =
        last?.target.channel_type === channel_type && last.target.sealed_configuration === sealed_configuration
      if (last && isLast) return last.opened
      const opened = openConfiguration(seal, target)
      last = { target, opened }
      return opened
    },
  }
}

/** Configuration to deliver with; `sealed` is its stored form. */
type OpenedReceiver = { opened: Opened; sealed: string; opensIncident: boolean; zone: Zone }

/** Configuration to deliver a notification with, or the reason why it cannot be delivered. */
async function receiverOf(
  { db }: DeliverDeps,
  row: NotificationRow,
  { row: readRow, open }: Channel,
): Promise<OpenedReceiver | { refusal: string }> {
  const channel = await readRow()
  if (!channel) return { refusal: 'the channel was deleted' }
  if (channel.enabled === 0) return { refusal: 'the channel is disabled' }
  const target = followsAlert(row) ? await receiverOfAlert(db, row, channel) : channel
  if (!target)
    return {
      refusal: row.event === 'recovery' ? 'the alert it ends was never delivered' : 'the alert was never delivered',
    }
  try {
    const opened = open(target)
    // an incident opened by another type of channel cannot be closed with this configuration
    const opensIncident =
      row.event === 'alert' && opened.type.opensIncidents && row.channel_type === target.channel_type
    return { opened, sealed: target.sealed_configuration, opensIncident, zone: zoneOf(channel) }
  } catch (error) {
    return { refusal: `the configuration of the channel cannot be read: ${reasonOf(error)}` }
  }
}

/** Earlier notifications that a recovery or an acknowledgement refers to: those of its incident or alert, or the list that it ends. */
async function listOpenings(read: Db, row: NotificationRow) {
  if (row.incident_id !== null && isIncidentTool(row.channel_type)) return listOpeningsOfLevel(read, row)
  if (row.alert_id !== null) return listAlerted(read, row.alert_id, row.channel_id)
  const data = storedData(row)
  const openingId = 'list' in data ? data.list.opening_id : null
  return openingId === null ? [] : listById(read, openingId)
}

/**
 * Configuration with which the alert opened an incident; that of the channel if it opened none; null if the alert was never
 * delivered.
 */
async function receiverOfAlert({ read }: Database, row: NotificationRow, channel: Sealed): Promise<Sealed | null> {
  const alerted = await listOpenings(read, row)
  const arrived = alerted.filter(({ status }) => status === 'sent' || status === 'delivered')
  if (arrived.length === 0 && alerted.some(({ status }) => status === 'failed')) return null
  const opener = arrived.find(({ sealed_configuration }) => sealed_configuration !== null)
  if (!opener?.sealed_configuration) return channel
  return { ...channel, channel_type: opener.channel_type, sealed_configuration: opener.sealed_configuration }
}
