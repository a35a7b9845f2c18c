import type { OneIncident } from '../../api/history.ts'
import { formatBurn, formatCount, formatDuration, plural, sentence } from '../../format.ts'
import { costOfBudget } from '../../incidents/alert-words.ts'

type Excluded = NonNullable<OneIncident['data']['excluded']>

/** Part of an incident that corrections exclude: `10 min do not count. With them: 300 failures instead of 150, 3.8 times the budget`. */
export function incidentExcludedWords(of: Excluded): string {
  const { seconds, unit, bad_events: bad, bad_events_without: all, budget_percent_without, resolution } = of
  const exact = { '1m': 60, '1h': 3600, '1d': 86_400 }[resolution]
  const cost = costOfBudget({ budget_percent: budget_percent_without, budget_resolution_seconds: exact })
  const failed = unit === 'events' ? plural(all, '# failure', '# failures', formatCount) : formatDuration(all)
  const counted = unit === 'events' ? formatCount(bad) : formatDuration(bad)
  return `${formatDuration(seconds)} do not count. With them: ${failed} instead of ${counted}, ${cost}`
}

/** Start of the last relapse of an incident, and the number of relapses if there were several. */
export function relapsedWords<Part>(since: Part, relapses: number): (Part | string)[] {
  return relapses === 1 ? [since] : sentence`${since}, ${plural(relapses, '# time', '# times', String)}`
}

/** An alert with its reason, if it has one. */
export function alertWords<Part>(alert: Part, reason: string | null): (Part | string)[] {
  return reason === null ? [alert] : sentence`${alert}: ${reason}`
}

type Fired<Part> = { began: Part; ended: Part | null; isClosed: boolean; peak: number | null }

/** Time of an alert, with its highest burn rate. `isClosed`: its incident is closed while it still fires. */
export function firedWords<Part>({ began, ended, isClosed, peak }: Fired<Part>): (Part | string)[] {
  const burn = peak === null ? null : formatBurn(peak)
  if (ended !== null) {
    return burn === null ? sentence`${began} to ${ended}` : sentence`${began} to ${ended}, at most ${burn}`
  }
  if (isClosed) {
    return burn === null ? sentence`${began}, still firing` : sentence`${began}, still firing, at most ${burn}`
  }
  return burn === null ? sentence`${began} until now` : sentence`${began} until now, at most ${burn}`
}

/** Channels of an incident without messages. `wasNotified`: an earlier alert of it notified somebody. */
export function nobodyWords(wasNotified: boolean): string {
  return wasNotified ? 'nobody since' : 'nobody'
}

/** Channels that a row does not list. */
export function moreChannelsWords(more: number): string {
  return `and ${more} more`
}

/** A channel that was not notified, and the reason. */
export function notNotifiedSentence<Part>(channel: string, why: Part): (Part | string)[] {
  return sentence`${channel} was not notified: ${why}.`
}

/** Empty list of closed incidents. */
export function noneClosedSentence(isFiltered: boolean): string {
  return isFiltered ? 'No incident like that was closed in this time.' : 'No incident was closed in this time.'
}

/** Time between a deploy and the incident. */
export function afterDeployWords(seconds: number): string {
  return `${formatDuration(seconds)} after`
}
