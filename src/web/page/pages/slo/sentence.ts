import type { Slo } from '../../api/types.ts'
import { formatTarget, formatWindow } from '../../format.ts'

const comparisons: Record<string, string> = { gte: 'at least', gt: 'more than', lte: 'at most', lt: 'less than' }

/** Sentence about the objective of an SLO, followed by its description, if it has one. */
export function sentenceOf(slo: Slo): string {
  const { description, target, threshold, threshold_op: op, time_window } = slo
  const subject =
    threshold === null
      ? 'must be good'
      : `the value must be ${comparisons[op ?? ''] ?? ''} ${threshold}`.replace('  ', ' ')
  const of =
    threshold === null
      ? `${formatTarget(target)} % of what is measured over ${formatWindow(time_window)} ${subject}.`
      : `In ${formatTarget(target)} % of ${formatWindow(time_window)} ${subject}.`
  return description === '' ? of : `${of} ${description}`
}
