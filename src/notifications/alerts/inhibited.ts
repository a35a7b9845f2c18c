import type { AlertRow } from '../../db/tables/tables.ts'
import { readAlertName } from './alert-name.ts'

type Seen = Pick<AlertRow, 'name' | 'began_at' | 'ended_at'>

/**
 * Whether an open alert is not told because a graver one of its SLO is, or has just been. `others`: those that are told of
 * (open ones, and ended ones from not long ago); `atSeconds`: now.
 *
 * - A slower tier waits while a faster one fires, and as long afterwards as its own short window still reaches back into
 *   that: if it fires then, the budget burns on. (Else every outage would bring the alerts of all tiers, one by one.)
 * - Of the thresholds of the budget only the lowest is told, and none on the way up.
 */
export function isInhibited(alert: Seen, others: Seen[], atSeconds: number): boolean {
  const own = readAlertName(alert.name)
  return others.some((other) => {
    const that = readAlertName(other.name)
    if (own.kind === 'burn_rate' && that.kind === 'burn_rate') {
      const isFaster = that.longSeconds < own.longSeconds
      return isFaster && (other.ended_at === null || atSeconds < other.ended_at + own.shortSeconds)
    }
    if (own.kind === 'budget' && that.kind === 'budget') {
      return that.threshold < own.threshold && (other.ended_at === null || other.ended_at > alert.began_at)
    }
    return false
  })
}
