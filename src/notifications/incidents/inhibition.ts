import type { AlertRow, SloRow } from '../../db/tables/tables.ts'
import { currentWindow, windowSeconds } from '../../slos/arithmetic/windows.ts'
import { readAlertName } from '../alerts/alert-name.ts'

/** Time after an outage in which its last minute may still be evaluated, and a budget threshold be crossed because of it. */
const lateCrossingSeconds = 120

/**
 * True if a more severe alert of the same SLO fires or did recently. `others`: open and recently ended alerts; `atSeconds`: now.
 *
 * - A slower tier waits while a faster one fires, and then for as long as its own short window reaches back into that time. If
 *   it still fires then, the budget keeps burning. Otherwise every outage would notify of all tiers, one by one.
 * - Only the lowest crossed threshold of a budget is notified, and none while the budget recovers.
 * - Everything waits while the SLO is down. A tier or the status waits afterwards, too, for as long as its long window (the status:
 *   the current window) reaches back into the outage, because one failed check would make it fire again; the checks find the next
 *   outage. A threshold that the outage crossed is in the notification of its end.
 */
export function isInhibited(slo: SloRow, alert: AlertRow, others: AlertRow[], atSeconds: number): boolean {
  const ownName = readAlertName(alert.name)
  return others.some((other) => {
    const otherName = readAlertName(other.name)
    if (otherName.kind === 'down' && ownName.kind !== 'down') {
      if (other.ended_at === null) return true
      if (ownName.kind === 'budget') return alert.began_at <= other.ended_at + lateCrossingSeconds
      const reach = ownName.kind === 'burn_rate' ? ownName.longSeconds : windowSeconds(currentWindow(slo.time_window))
      return atSeconds < other.ended_at + reach
    }
    if (ownName.kind === 'burn_rate' && otherName.kind === 'burn_rate') {
      const isFaster = otherName.longSeconds < ownName.longSeconds
      return isFaster && (other.ended_at === null || atSeconds < other.ended_at + ownName.shortSeconds)
    }
    if (ownName.kind === 'budget' && otherName.kind === 'budget') {
      return otherName.threshold < ownName.threshold && (other.ended_at === null || other.ended_at > alert.began_at)
    }
    return false
  })
}
