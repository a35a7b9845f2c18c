import {
  formatBurn,
  formatCount,
  formatDuration,
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

/** Says that there is too little data for a tier: its short window must exist whole. */
export function notYetWords(shortSeconds: number): string {
  return `not known: it needs ${formatDuration(shortSeconds)} of data`
}

/** Alerts of the past that are not listed. */
export function moreEpisodesWords(more: number): string {
  return `and ${formatNumber(more)} more`
}
