import { now } from '../clock.ts'
import { onMessage, type ServerMessage } from './live.ts'
import type { Resource } from './resource.ts'

/**
 * Decides when a resource is read again after a message; false or undefined: not at all. `afterMs`: minimum time after the message.
 * `betweenMs`: minimum time after the last read. `againMs`: time after the message at which it is read once more.
 */
export type Live<T = unknown> = (
  message: ServerMessage,
  value: T | undefined,
) => { afterMs?: number; betweenMs?: number; againMs?: number } | false | undefined

const minMs = 5000
const evaluationMs = 30_000
const settleMs = 300 // several messages about one change arrive together
const sentMs = 6000 // by then most notifications of a change have been sent
const deliveredMs = 3000

/** Data of an SLO: read after its updates, at most every five seconds. */
export const ofSlo =
  (id: number): Live =>
  (message) =>
    message.kind === 'alert' || message.kind === 'incident' || (message.kind === 'slo' && message.update.slo_id !== id)
      ? undefined
      : { betweenMs: minMs }

/**
 * Incidents and alerts: read at most every five seconds after one of them began, ended, changed or was acknowledged, and once more
 * when its notifications have been sent. Also read after an evaluation, for new costs and burn rates: at most every five seconds for
 * SLOs that are failing (`isFailing`), every 30 seconds for others.
 */
export const ofIncidents =
  <T>({ isFailing }: { isFailing?: (sloId: number, value: T | undefined) => boolean } = {}): Live<T> =>
  (message, value) => {
    if (message.kind === 'alert' || message.kind === 'incident') {
      return { afterMs: settleMs, betweenMs: minMs, againMs: sentMs }
    }
    if (message.kind !== 'slo') return { afterMs: settleMs }
    return { afterMs: settleMs, betweenMs: isFailing?.(message.update.slo_id, value) ? minMs : evaluationMs }
  }

/** Deliveries of notifications: read soon after an alert began or ended, when they are delivered, and 30 s after an evaluation. */
export const ofDeliveries: Live = ({ kind }) => ({ afterMs: kind === 'slo' ? evaluationMs : deliveredMs })

/** Number of open incidents: read after one has changed, at most every five seconds. */
export const ofIncidentCount: Live = ({ kind }) =>
  kind === 'slo' || kind === 'alert' ? undefined : { afterMs: settleMs, betweenMs: minMs }

/** Reads a resource again as `live` decides, until the returned function is called. `isReadWhileHidden`: also while the tab is hidden. */
export function follow<T>(
  { value, readAtMs, readSoon }: Pick<Resource<T>, 'value' | 'readAtMs' | 'readSoon'>,
  live: Live<T>,
  isReadWhileHidden = false,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = onMessage((message) => {
    const delays = live(message, value.peek())
    if (!delays) return
    const { afterMs = 0, betweenMs, againMs } = delays
    const dueMs = betweenMs === undefined ? afterMs : readAtMs.peek() + betweenMs - now()
    readSoon(Math.max(afterMs, dueMs), isReadWhileHidden)
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
