import type { SloIncident } from '../api/history.ts'
import { formatBurn, formatDuration, formatMoment, formatTimeSince, plural } from '../format.ts'
import { budgetWords } from './alert-words.ts'

type Incident = Omit<SloIncident, 'notifications'>

/** Tone of an incident's shape: of its state while it is open, of its severity afterwards. */
export function toneOf({ state, severity }: Incident): 'healthy' | 'warning' | 'critical' | 'unknown' {
  if (state === 'closed') return severity
  if (state === 'recovering') return 'healthy'
  return state === 'unknown' ? 'unknown' : state === 'burning' ? 'warning' : 'critical'
}

const ranks: Record<Incident['state'], number> = {
  down: 0,
  burning_fast: 1,
  unknown: 2,
  burning: 3,
  recovering: 4,
  closed: 5,
}

/** Sorts incidents by the attention that they need; otherwise keeps the order. */
export function byAttention<T extends Incident>(incidents: readonly T[]): T[] {
  return incidents.toSorted((a, b) => ranks[a.state] - ranks[b.state])
}

/**
 * Open incidents of a page of the list (the list has open ones first). They are sorted by attention if the page has all open ones;
 * otherwise they stay newest first, as on the next page.
 */
export function openOf<T extends Incident>(list: { incidents: readonly T[]; page: number; has_next: boolean }): T[] {
  const open = list.incidents.filter(({ closed_at }) => closed_at === null)
  const hasAll = list.page === 1 && (!list.has_next || open.length < list.incidents.length)
  return hasAll ? byAttention(open) : open
}

/** True if one of these incidents is open and of this SLO. */
export function hasOpenIncident(
  sloId: number,
  ...incidents: (Pick<Incident, 'slo_id' | 'state'> | undefined)[]
): boolean {
  return incidents.some((one) => one?.slo_id === sloId && one.state !== 'closed')
}

/** State of an incident in a few words: `Down 8 min`, `Burning 171×`, `Up again for 4 min`, `Over`. */
export function stateWord(incident: Incident, nowMs: number): string {
  const { state, since, recovered_at, close_reason, closed_by } = incident
  switch (state) {
    case 'down': {
      const time = formatTimeSince(since, nowMs)
      return time ? `Down ${time}` : 'Down'
    }
    case 'burning_fast':
    case 'burning':
      return burningWord(incident)
    case 'recovering': {
      const time = formatTimeSince(recovered_at, nowMs)
      return time ? `Up again for ${time}` : 'Up again'
    }
    case 'unknown':
      return incident.reason === null ? 'No news, was burning' : 'No news, was down'
    case 'closed':
      if (close_reason === 'by_hand') return `Closed by ${closed_by ?? 'hand'}`
      return close_reason === 'recovered' ? 'Over' : 'Not known to be up'
  }
}

function burningWord({ burn_rate_now: now, peak_burn_rate: peak }: Incident): string {
  const rate = now !== null && now > 1 ? now : peak
  return rate === null || rate <= 1 ? 'Burning' : `Burning ${formatBurn(rate)}`
}

/** Reason of an outage, or the label that fails; else the highest burn rate where the state does not say it; a dash: nothing more is known. */
export function whatFails(incident: Incident): string {
  const { state, reason, cause, peak_burn_rate: peak } = incident
  if (reason !== null) return reason
  if (cause !== null) return cause.text
  const isShown = state.startsWith('burning') && peak !== null && burningWord(incident).endsWith(` ${formatBurn(peak)}`)
  return peak === null || isShown ? '–' : `At most ${formatBurn(peak)}`
}

/** Sentence of an incident that is true at `nowMs`: `Down since 05:45 (8 min): HTTP 503. It used 40 % of the budget so far.` */
export function incidentSentence(incident: Incident, nowMs: number): string {
  const { state, reason, cause, since, relapses } = incident
  const sinceMs = Date.parse(since)
  const moment = formatMoment(sinceMs, nowMs)
  const time = formatDuration((nowMs - sinceMs) / 1000)
  const lasted = formatDuration(incident.duration_seconds)
  const fails = reason ?? cause?.text ?? null
  const cost = budgetWords(incident)
  const used = cost === null ? '' : `It used ${cost}.`
  const again = relapses === 0 ? '' : relapsesSentence(incident, nowMs)
  switch (state) {
    case 'down':
      return joinSentences(withReason(`Down since ${moment} (${time})`, fails), used, again)
    case 'burning_fast':
    case 'burning':
      return joinSentences(withReason(`${burningWord(incident)} since ${moment} (${time})`, fails), used, again)
    case 'recovering': {
      const failed = cost === null ? `It failed for ${lasted}.` : `It failed for ${lasted} and used ${cost}.`
      const pastSentence = relapses > 0 ? used : failed
      return joinSentences(
        `${stateWord(incident, nowMs)}.`,
        pastSentence,
        'It is over when nothing fails for 15 min.',
        again,
      )
    }
    case 'unknown': {
      const was = reason === null ? `It had been burning since ${moment}` : `It had been down since ${moment}`
      return joinSentences('No news of it.', withReason(was, fails), used)
    }
    case 'closed': {
      const length = cost === null ? `It lasted ${lasted}` : `It lasted ${lasted} and used ${cost}`
      return joinSentences(endSentence(incident, nowMs), withReason(length, fails))
    }
  }
}

/** Whole sentences as one text, without those that are empty. */
function joinSentences(...sentences: string[]): string {
  return sentences.filter(Boolean).join(' ')
}

function withReason(clause: string, reason: string | null): string {
  return reason === null ? `${clause}.` : `${clause}: ${reason}.`
}

function relapsesSentence({ began_at, relapses }: Incident, nowMs: number): string {
  const began = formatMoment(Date.parse(began_at), nowMs)
  const [once, times] = [
    `It began ${began} and has failed again once since.`,
    `It began ${began} and has failed again # times since.`,
  ]
  return plural(relapses, once, times)
}

/** End of a closed incident: its `closed_at` is never null. */
function endSentence({ close_reason, closed_by, closed_at, recovered_at }: Incident, nowMs: number): string {
  const closed = formatMoment(Date.parse(closed_at ?? ''), nowMs)
  switch (close_reason) {
    case 'by_hand':
      return `Closed by ${closed_by ?? 'hand'} ${closed}.`
    case 'not_evaluated':
      return `Closed ${closed} because its SLO is no longer evaluated: it is not known to be up.`
    default:
      return `Over since ${formatMoment(Date.parse(recovered_at ?? closed_at ?? ''), nowMs)}.`
  }
}
