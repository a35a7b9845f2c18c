import { round6 } from '../../../../slos/arithmetic/share.ts'
import { formatShare, formatTarget } from '../../format.ts'

/**
 * Days in words. `days`: percent of each day's error budget, which on the short first day of an SLO may be 50,000. The words give the
 * share of the day that failed instead, which is never above 100 %.
 */
export function daysLabel(days: readonly (number | null)[], target: number): string {
  const known = days.filter((day) => day !== null)
  if (known.length === 0) return 'No data in these days'
  const allowed = round6(100 - target)
  const over = known.filter((day) => day >= 100).length
  const failed = `On ${over} of ${known.length} days of UTC more than ${formatTarget(allowed)}\u2009% failed`
  return allowed === 0 ? failed : `${failed}; on the worst ${formatShare((Math.max(...known) * allowed) / 100)}`
}
