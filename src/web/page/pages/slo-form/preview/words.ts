import {
  formatBurn,
  formatCount,
  formatDuration,
  formatMoment,
  formatNumber,
  formatTarget,
  formatWindow,
  plural,
} from '../../../format.ts'
import type { KnownWindow, WhatIf } from '../../../what-if/what-if.ts'
import { exhaustionText, pastWords } from '../../../what-if/words.ts'

/** Title of the preview, with the period that it shows. */
export function previewTitle(shown: KnownWindow | null): string {
  return shown ? `Preview: ${pastWords(shown)}` : 'Preview'
}

/** Number of events of an SLI, if it counts events, and its target. */
export function ofTarget({ measured }: KnownWindow, targetPercent: number): string {
  const target = formatTarget(targetPercent)
  if (!measured.events) return `target ${target}`
  return `of ${plural(measured.events.total, '# event', '# events', formatCount)}, target ${target}`
}

/** Text below the percentage of the budget: its window, and when it was used up. */
export function budgetWords({ measured, share }: KnownWindow, result: WhatIf, nowMs: number): string {
  const isOver = (result.usedPercent ?? 0) > 100
  const exhaustion = exhaustionText(result, nowMs, share)
  if (share === 1) return isOver ? `budget, ${exhaustion}` : `budget left, ${exhaustion}`
  const window = formatWindow(measured.window)
  const budget = isOver ? `budget of ${window}` : `budget left of ${window}`
  return exhaustion === '' ? budget : `${budget}, ${exhaustion}`
}

type Episode = {
  /** Severity and factor of its tier: `Page 14.4×`. */
  tier: string
  window: string
  /** Start and duration. */
  when: string
  peak: number
}

/** An alert of the past, with its tier and its highest burn rate. */
export function episodeWords({ tier, window, when, peak }: Episode): string {
  return `${tier}, ${formatWindow(window)}: ${when}, peak ${formatBurn(peak)}`
}

/** Says that there is too little data for a tier: less than its short window. */
export function notYetWords(shortSeconds: number): string {
  return `not known: it needs ${formatDuration(shortSeconds)} of data`
}

/** Alerts of the past that are not listed. */
export function moreEpisodesWords(more: number): string {
  return `and ${formatNumber(more)} more`
}

/** Time before which nothing was measured. */
export function nothingBeforeSentence(fromMs: number, nowMs: number): string {
  return `Nothing was measured before ${formatMoment(fromMs, nowMs)}.`
}

/** Says that a budget is too small. `events`: number of events in the window. */
export function smallBudgetSentence(events: number): string {
  return plural(
    events,
    'The budget of # event is less than one failure.',
    'The budget of # events is less than one failure.',
    formatCount,
  )
}

/** The worst step of the SLI. `step`: its length. */
export function worstStepSentence(step: string, sli: string, moment: string): string {
  return `The worst ${step} reached ${sli} %, ${moment}.`
}

/** Label of the button that takes the tried target over into the form. */
export function applyTargetLabel(targetPercent: number): string {
  return `Use ${formatTarget(targetPercent)} %`
}

/** Period of the alerts that would have fired, which stands behind the title. */
export function inSpanWords(span: string): string {
  return `in ${span}`
}

/** Label of the list of all alerts that would have fired. */
export function allAlertsLabel(count: number): string {
  return `All ${formatNumber(count)}`
}

/** Number of times that an alert would have fired, if several. `last`: when it was the last time. */
export function timesWords(count: number, last: string): string {
  return plural(count, `# time, the last ${last}`, `# times, the last ${last}`)
}

/** Lengths of the long and the short window of a tier. */
export function windowsWords(long: string, short: string): string {
  return `over ${long} and ${short}`
}
