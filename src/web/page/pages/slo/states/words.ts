import { formatPercent, sentence } from '../../../format.ts'

/** Source that an SLO is queried from. */
export function sourceSentence<Part>(source: Part, isActive: boolean): (Part | string)[] {
  return isActive ? sentence`Source: ${source}.` : sentence`Source: ${source}, switched off.`
}

/** Age of the figures. */
export function measuredWords<Part>(ago: Part): (Part | string)[] {
  return sentence`measured ${ago}`
}

/** Time since an SLO was deleted; its consequences follow. */
export function deletedSentence(ago: string): string {
  return `This SLO was deleted ${ago}.`
}

/** Why the past of an SLO is not there, as a sentence of the server. */
export function pastUnreadSentence(why: string): string {
  return `The past could not be read: ${why}`
}

/** Part of the past that was requested from the source, as a share. */
export function pastRequestedWords(share: number): string {
  return `Past requested, ${formatPercent(100 * share)}`
}

/** Time of the next check. */
export function nextAtWords<Part>(at: Part): (Part | string)[] {
  return sentence`Next at ${at}`
}

/** Title of a page of an SLO in the browser. `view`: '' for the first. */
export function sloTitle(slo: string, view: string): string {
  return view === '' ? slo : `${slo} · ${view}`
}

export function sloNotDeletedText(reason: string): string {
  return `Not deleted: ${reason}`
}

export function sloNotRestoredText(slo: string, reason: string): string {
  return `${slo}: not restored. ${reason}`
}

export function sloDeletedText(slo: string): string {
  return `${slo}: deleted.`
}
