import type { Budget, Slo } from '../../api/types.ts'
import { isCalendarWindow } from '../../../../slos/arithmetic/windows.ts'
import { formatNumber, formatPercent, formatShort, formatTarget, formatWindow } from '../../format.ts'
import { methodSentence } from '../../slo/journey-words.ts'

type Counted = Pick<NonNullable<Budget['events']>, 'total' | 'bad' | 'allowed_bad'>

const calculationDigits = 6

/** Number of events with the digits that its calculation needs: extrapolated and allowed events can be fractions. */
function eventCount(n: number): string {
  const whole = Math.floor(Math.log10(Math.max(1, Math.abs(n)))) + 1
  return formatShort(n, Math.max(0, calculationDigits - whole))
}

/** Calculation of an SLI: of its events, of the members of a journey, or of its minutes. */
export function sliHowSentence({ composite, time_window }: Slo, { sli, events }: Budget): string {
  const [window, result] = [formatWindow(time_window), sli === null ? '–' : formatPercent(sli, 6)]
  if (events) {
    const [good, total] = [eventCount(events.good), eventCount(events.total)]
    return `${good} good of ${total} in ${window}: ${good} ÷ ${total} × 100 = ${result}`
  }
  return composite
    ? `${methodSentence(composite.method)}, each over ${window}: ${result}`
    : `The mean over each minute of ${window} that was measured: ${result}`
}

/** Failures that a target allows, in percent. */
export function mayFailSentence(targetPercent: number, budgetPercent: number): string {
  return `${formatTarget(targetPercent)} % must be good, so ${formatShort(budgetPercent, 4)} % may fail.`
}

/** Calculation of the budget of an SLI that counts events. */
export function eventsHowSentence({ total, bad, allowed_bad }: Counted, usedPercent: number): string {
  const [failed, allowed] = [eventCount(bad), eventCount(allowed_bad)]
  const used = formatPercent(usedPercent, 2)
  return `Of ${eventCount(total)} that is ${allowed}; ${failed} failed: ${failed} ÷ ${allowed} = ${used} used.`
}

/** Budget of a window that has data for a part of it only. */
export function partHowSentence(window: string, usedPercent: number): string {
  const whole = isCalendarWindow(window) ? window : formatWindow(window)
  return `There is data for a part of the window only: of the budget of the whole ${whole} that is ${formatPercent(usedPercent, 2)}, if the traffic stays as it is.`
}

/** Budget that is used, as time. */
export function inTimeSentence(used: string): string {
  return `In time: ${used} as if everything had failed.`
}

/** Condition of a tier, and the rule for an SLO younger than its windows. */
export const tierHowSentences =
  '1× uses the budget in exactly the window. A tier fires while both rates are above its threshold. Time before the first sample burns nothing: a tier can fire once there is data for its whole short window.'

type Used = { sli: number; target: number; used: number; windowUsed: number }

/** Calculation of the budget that is used, of the time with data and of the whole window; SLI and target in percent, budgets as shares. */
export function usedHowSentences({ sli, target, used, windowUsed }: Used): string {
  const shares = `(100 − ${formatNumber(sli, 6)}) ÷ (100 − ${formatTarget(target)})`
  return `Used: (100 − SLI) ÷ (100 − target) = ${shares} = ${formatNumber(used, 4)} budgets of the time with data. Of the whole window: ${formatNumber(windowUsed, 4)}.`
}
