import { now } from '../clock.ts'
import { onMessage, type ServerMessage } from './live.ts'
import type { Resource } from './resource.ts'

/**
 * Rule of when a resource is read again after a message: `afterMs` at the earliest, and `betweenMs` after its last read; and once
 * more `againMs` after the message. undefined: it is not.
 */
export type Live<T = unknown> = (
  message: ServerMessage,
  value: T | undefined,
) => { afterMs?: number; betweenMs?: number; againMs?: number } | false | undefined

const minMs = 5000
const roundMs = 30_000
const settleMs = 300
const sentMs = 6000 // by then most messages about a change have arrived
const deliveredMs = 3000

/** Data of an SLO: read after its updates, at most every five seconds. */
export const ofSlo =
  (id: number): Live =>
  (message) =>
    message.kind === 'alert' || message.kind === 'incident' || (message.kind === 'slo' && message.update.slo_id !== id)
      ? undefined
      : { betweenMs: minMs }

/**
 * Incidents and alerts: read at most every five seconds after one of them began, ended, changed or was acknowledged, once more
 * when its messages have been sent, and after an evaluation, which has new costs and burn rates: of SLOs that `isFailing` as often,
 * of others at most every 30 seconds.
 */
export const ofIncidents =
  <T>(isFailing?: (sloId: number, value: T | undefined) => boolean): Live<T> =>
  (message, value) => {
    if (message.kind === 'alert' || message.kind === 'incident') {
      return { afterMs: settleMs, betweenMs: minMs, againMs: sentMs }
    }
    if (message.kind !== 'slo') return { afterMs: settleMs }
    return { afterMs: settleMs, betweenMs: isFailing?.(message.update.slo_id, value) ? minMs : roundMs }
  }

/** Deliveries of notifications: read soon after an alert began or ended, when they are delivered, and 30 s after an evaluation. */
export const ofDeliveries: Live = ({ kind }) => ({ afterMs: kind === 'slo' ? roundMs : deliveredMs })

/** Number of open incidents: read after one has changed, at most every five seconds. */
export const ofIncidentCount: Live = ({ kind }) =>
  kind === 'slo' || kind === 'alert' ? undefined : { afterMs: settleMs, betweenMs: minMs }

/** Reads a resource again by a rule, until the returned function is called. */
export function follow<T>(
  { value, readAtMs, readSoon }: Pick<Resource<T>, 'value' | 'readAtMs' | 'readSoon'>,
  live: Live<T>,
  isReadHidden = false,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = onMessage((message) => {
    const turn = live(message, value.peek())
    if (!turn) return
    const { afterMs = 0, betweenMs, againMs } = turn
    const dueMs = betweenMs === undefined ? afterMs : readAtMs.peek() + betweenMs - now()
    readSoon(Math.max(afterMs, dueMs), isReadHidden)
    if (againMs === undefined) return
    timer ??= setTimeout(() => {
      timer = undefined
      readSoon(0)
    }, againMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}
