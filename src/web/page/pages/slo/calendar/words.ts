import type { Budget } from '../../../api/types.ts'
import { formatWindow } from '../../../format.ts'

/** Explains why used budget comes back later. */
export function leavesSentence({ time_window, period }: Pick<Budget, 'time_window' | 'period'>): string {
  const window = formatWindow(time_window)
  return period
    ? `The window is ${window} in ${period.time_zone}. All of the budget is there again when the next ${time_window} begins.`
    : `The window is the last ${window}. What failed leaves it ${window} later, and what it used of the budget is there again.`
}

/** States the assumptions of the calendar. `hasDays`: its rows are days. */
export function holdsSentence(hasDays: boolean): string {
  const holds = 'The figures hold if nothing else fails and traffic stays as it was.'
  return hasDays ? `${holds} Days are those of UTC.` : holds
}
