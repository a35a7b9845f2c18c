import type { OneIncident } from '../../api/history.ts'
import { formatBurn, formatCount, formatDuration, plural, sentence } from '../../format.ts'
import { costOfBudget } from '../../incidents/alert-words.ts'

type Excluded = NonNullable<OneIncident['data']['excluded']>

/** Part of an incident that corrections exclude: `10 min do not count. With them: 300 failures instead of 150, 3.8 times the budget`. */
export function incidentExcludedWords(of: Excluded): string {
  const { seconds, unit, bad_events: bad, bad_events_without: all, budget_percent_without, resolution } = of
  const resolutionSeconds = { '1m': 60, '1h': 3600, '1d': 86_400 }[resolution]
  const cost = costOfBudget({ budget_percent: budget_percent_without, budget_resolution_seconds: resolutionSeconds })
  const failed = unit === 'events' ? plural(all, '# failure', '# failures', formatCount) : formatDuration(all)
  const counted = unit === 'events' ? formatCount(bad) : formatDuration(bad)
  return `${formatDuration(seconds)} do not count. With them: ${failed} instead of ${counted}, ${cost}`
}

/** Start of the last relapse of an incident, and the number of relapses if there were several. */
export function relapsedWords<Part>(since: Part, relapses: number): (Part | string)[] {
  return relapses === 1 ? [since] : sentence`${since}, ${plural(relapses, '# time', '# times', String)}`
}

/** Label of the button that folds or unfolds the incident of an SLO. */
export function foldLabel(slo: string, isUnfolded: boolean): string {
  return isUnfolded ? `Fold ${slo}` : `Unfold ${slo}`
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

/** Number of channels that a row does not list. */
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

/** Label of the tab of the alerts of no incident, with their number. */
export function otherAlertsWords<Part>(count: Part): (Part | string)[] {
  return sentence`Other alerts ${count}`
}

/** Label of the tab of the silences, with their number. */
export function silencesWords<Part>(count: Part): (Part | string)[] {
  return sentence`Silences ${count}`
}

/** Title of the closed incidents. `window`: the time before now that is listed. */
export function closedTitle(window: string): string {
  return `Closed, last ${window}`
}

/** Caption of the table of closed incidents. */
export function closedCaption(window: string): string {
  return `Incidents of the last ${window} that are closed`
}

/** Consequences of closing an incident by hand. `hasRecovered`: what it measures is up again. */
export function closeSentences(hasRecovered: boolean): string {
  const next = 'What fails now opens no other incident until it has ended; a new failure does.'
  return hasRecovered
    ? next
    : `${next} The channels that were notified of it get the message that it was closed, not that it is up again.`
}

export function closedText(slo: string): string {
  return `${slo}: the incident is closed.`
}

/** Title of the page of an incident. */
export function incidentTitle(slo: string): string {
  return `Incident: ${slo}`
}

export function silenceForLabel(seconds: number): string {
  return `Silence for ${formatDuration(seconds)}`
}

/** Question before an action that a link asks for. */
export function askedTitle(action: string, slo: string): string {
  return `${action}: ${slo}`
}

/** Message of a channel, and its state or time. `isEnd`: it is about the end of the incident. */
export function messageWords<Part>(channel: string, isEnd: boolean, state: Part): (Part | string)[] {
  return isEnd ? sentence`${channel}: end ${state}` : sentence`${channel} ${state}`
}

export function accountSavedText(slo: string): string {
  return `${slo}: the account is saved.`
}

export function accountDeletedText(slo: string): string {
  return `${slo}: the account is deleted.`
}

/** Error message; its reason follows. */
export function accountNotDeletedText(slo: string): string {
  return `${slo}: the account is not deleted.`
}

/** Error message; its reason follows. */
export function accountNotRestoredText(slo: string): string {
  return `${slo}: the account is not restored.`
}

export function noteLabel(slo: string): string {
  return `Note on ${slo}`
}
