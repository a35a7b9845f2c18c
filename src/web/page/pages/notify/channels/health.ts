import type { Tone } from '../../../ui/status.tsx'
import type { Channel } from '../../../api/history.ts'
import { formatMoment } from '../../../format.ts'

/** Health of a channel: its shape, its label, and the receiver's error if it fails. */
export type Health = { state: Tone; word: string; detail: string | null }

export function healthOf({ enabled, health }: Pick<Channel, 'enabled' | 'health'>, nowMs: number): Health {
  const { status, consecutive_failures: failures, failing_since, last_error, paused_until } = health
  if (!enabled) return { state: 'unknown', word: 'Switched off', detail: null }
  if (failures > 0) {
    const failing =
      failing_since === null ? 'Failing' : `Failing since ${formatMoment(Date.parse(failing_since), nowMs)}`
    const pausedMs = paused_until === null ? 0 : Date.parse(paused_until)
    const paused = pausedMs > nowMs ? `paused until ${formatMoment(pausedMs, nowMs)}` : null
    return {
      state: status === 'unhealthy' ? 'critical' : 'warning',
      word: status === 'unhealthy' ? failing : 'Failed last time',
      detail: [last_error, paused].filter(Boolean).join('; ') || null,
    }
  }
  return status === 'untested'
    ? { state: 'unknown', word: 'Not tried yet', detail: null }
    : { state: 'healthy', word: 'Works', detail: null }
}
