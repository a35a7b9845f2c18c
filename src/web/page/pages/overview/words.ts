import { formatClockSeconds, formatTarget, formatWindow, plural, sentence, zoneName } from '../../format.ts'

/** Number of SLOs by what they need: `2 need attention, 14 on track, 1 paused`. */
export function summaryOf(count: Record<'attention' | 'onTrack' | 'unknown' | 'paused', number>): string {
  return [
    count.attention === 0
      ? 'Nothing needs attention'
      : plural(count.attention, '# needs attention', '# need attention'),
    plural(count.onTrack, '# on track', '# on track'),
    ...(count.unknown > 0 ? [plural(count.unknown, '# not measured', '# not measured')] : []),
    ...(count.paused > 0 ? [plural(count.paused, '# paused', '# paused')] : []),
  ].join(', ')
}

type Suggested<Part> = { metric: Part; name: string; target: Part }

/** The best suggestion of the source while there is no SLO. `target`: with the full stop of the sentence. */
export function foundSentences<Part>({ metric, name, target }: Suggested<Part>): (Part | string)[] {
  return sentence`No SLO yet. nines found ${metric} in your source: “${name}”, target ${target}`
}

/** Label of the link to all suggestions. */
export function allSuggestionsWords(count: number): string {
  return `All ${count} suggestions`
}

/** Time of figures that are live, with the zone. */
export function liveWords(nowMs: number): string {
  return `live, ${formatClockSeconds(nowMs)} (${zoneName(nowMs)})`
}

/** Target of a window: `99.9 % of 30 d`. */
export function objectiveWords(target: number, window: string): string {
  return `${formatTarget(target)}\u202f% of ${formatWindow(window)}`
}

/** Window of a burn rate: `over 1 h`. */
export function overWindowWords(window: string): string {
  return `over ${formatWindow(window)}`
}

/** First steps that are done. */
export function stepsDoneWords(done: number, all: number): string {
  return `${done} of ${all} done`
}

/** Says that an invitation was sent by mail. */
export function invitedSentence(email: string): string {
  return `Invited. The link is on its way to ${email}.`
}

/** Instruction for the link of an invitation that was not sent by mail. */
export function sendLinkSentences(email: string): string {
  return `Send this link to ${email}. It is good once, for seven days.`
}

/** Label of a first step, with its state. */
export function stepLabel(title: string, isDone: boolean): string {
  return isDone ? `${title}, done` : `${title}, to do`
}

/** State of the connection where the figures are not live. `sinceMs`: when it was lost; null: the first one is being made. */
export function connectionWords(sinceMs: number | null): string {
  return sinceMs === null ? 'connecting' : `not connected since ${formatClockSeconds(sinceMs)}`
}

/** Caption of the SLOs that can be restored. */
export function deletedCaption(count: number): string {
  return plural(count, '# SLO that can be restored', '# SLOs that can be restored')
}

export function restoreLabel(name: string): string {
  return `Restore ${name}`
}

/** Label of the button for the choice of a group. `group`: '' for none. */
export function groupLabel(group: string): string {
  return group === '' ? 'Group' : `Group: ${group}`
}

export function sortLabel(by: string): string {
  return `Sort: ${by}`
}

/** Label of the menu of a row. */
export function moreForLabel(name: string): string {
  return `More for ${name}`
}

export function selectLabel(name: string): string {
  return `Select ${name}`
}

/** Message after the test of a channel. `isFirst`: it is notified of every SLO from now on. */
export function testArrivedText(isFirst: boolean): string {
  return isFirst
    ? 'The test has arrived. It is notified of every SLO.'
    : 'The test has arrived. Rules, under Notify, say what it is notified of.'
}
