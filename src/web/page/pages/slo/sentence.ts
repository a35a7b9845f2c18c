import type { Slo } from '../../api/types.ts'
import { formatTarget, formatWindow } from '../../format.ts'

const comparisons: Record<string, string> = { gte: 'at least', gt: 'more than', lte: 'at most', lt: 'less than' }

/** Sentence about the objective of an SLO, followed by its description, if it has one. */
export function sentenceOf(slo: Slo): string {
  const objective = objectiveSentence(slo)
  return slo.description === '' ? objective : `${objective} ${slo.description}`
}

function objectiveSentence({ target, threshold, threshold_op: op, time_window }: Slo): string {
  const [percent, window] = [`${formatTarget(target)} %`, formatWindow(time_window)]
  if (threshold === null) return `${percent} of what is measured over ${window} must be good.`
  const comparison = comparisons[op ?? '']
  return comparison === undefined
    ? `In ${percent} of ${window} the value must be ${threshold}.`
    : `In ${percent} of ${window} the value must be ${comparison} ${threshold}.`
}
