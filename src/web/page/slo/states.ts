import type { OverviewSlo } from '../api/types.ts'
import { formatBurn, formatFull, formatMoment, formatTimeSince } from '../format.ts'
import type { Tone } from '../ui/status.tsx'
import { firstFiguresWords, type KnownChecks } from './first-figures.ts'

export type State = OverviewSlo['state']

/** State as it is shown: a paused SLO, whose state in the API is `unknown`, has one of its own. */
export type ShownState = State | 'paused'

/** State of an SLO. `was`: what its open incident is, while nothing new is known. `tierRate`: burn rate of its firing tier. */
export type Stated = Pick<OverviewSlo, 'state' | 'state_since' | 'state_reason' | 'burn_rate_now'> & {
  was?: 'down' | 'burning' | null
  tierRate?: number | null
  /** Checks of the probes that it reads, while it has no figures; undefined: not known. */
  checks?: KnownChecks | undefined
}

/** A state in words; `detail`: its reason, its start, or the state before. */
type StateWords = { word: string; detail: string }

/** Path of a shape in a square of 16; `cut`: a line on a filled part. */
type Part = { path: string; drawn: 'line' | 'dashed' | 'fill' | 'cut' }

type Vocabulary = {
  /** Order of attention, smaller is more urgent. */
  rank: number
  tone: Tone
  shape: Part[]
  /** Name in filters, exports and announcements. */
  label: string
  words: (stated: Stated, nowMs: number) => StateWords
}

const ring = 'M1.75 8a6.25 6.25 0 1 0 12.5 0 6.25 6.25 0 1 0-12.5 0Z'
const circle: Part = { path: ring, drawn: 'line' }
const octagon: Part = { path: 'M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2Z', drawn: 'fill' }
const triangle: Part = { path: 'M8 1.9 15 14H1Z', drawn: 'line' }

/** The one vocabulary of states: order, colour, shape and words of each. */
export const states: Record<ShownState, Vocabulary> = {
  down: {
    rank: 0,
    tone: 'critical',
    shape: [octagon, { path: 'm5.6 5.6 4.8 4.8m0-4.8-4.8 4.8', drawn: 'cut' }],
    label: 'Down',
    words: ({ state_since, state_reason }, nowMs) => {
      const time = formatTimeSince(state_since, nowMs)
      return { word: time ? `Down ${time}` : 'Down', detail: state_reason ?? '' }
    },
  },
  burning_fast: {
    rank: 1,
    tone: 'critical',
    shape: [octagon, { path: 'M8 4.4v4.2m0 2.7v.1', drawn: 'cut' }],
    label: 'Burning fast',
    words: burningWords,
  },
  burning: {
    rank: 3,
    tone: 'warning',
    shape: [triangle, { path: 'M8 6.4v3.4m0 1.9v.1', drawn: 'line' }],
    label: 'Burning',
    words: burningWords,
  },
  recovering: {
    rank: 4,
    tone: 'healthy',
    shape: [circle, { path: 'M8 11.2V5m-2.6 2.6L8 5l2.6 2.6', drawn: 'line' }],
    label: 'Up again',
    words: ({ state_since }, nowMs) => {
      const time = formatTimeSince(state_since, nowMs)
      return { word: time ? `Up again for ${time}` : 'Up again', detail: '' }
    },
  },
  maintenance: {
    rank: 5,
    tone: 'unknown',
    shape: [circle, { path: 'M5 8h6', drawn: 'line' }],
    label: 'Maintenance',
    words: ({ state_reason }, nowMs) => ({
      word:
        state_reason === null ? 'Maintenance' : `Maintenance until ${formatMoment(Date.parse(state_reason), nowMs)}`,
      detail: '',
    }),
  },
  spent: {
    rank: 6,
    tone: 'warning',
    shape: [triangle, { path: 'M5.8 10.2h4.4', drawn: 'line' }],
    label: 'Budget spent',
    words: () => ({ word: 'Budget spent', detail: '' }),
  },
  unknown: {
    rank: 7,
    tone: 'unknown',
    shape: [
      { path: ring, drawn: 'dashed' },
      { path: 'M6.3 6.4a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.9.7-.9 1.3m0 1.9v.1', drawn: 'line' },
    ],
    label: 'Not known',
    words: ({ state_since, state_reason, was }, nowMs) => ({
      word: `${missingSince(missing[state_reason ?? ''] ?? 'Not known', state_since, nowMs)}${whyStopped(state_reason)}`,
      detail: was ? `was ${was}` : '',
    }),
  },
  measuring: {
    rank: 8,
    tone: 'unknown',
    shape: [circle, { path: 'M8 8V3.6A4.4 4.4 0 0 1 12.4 8Z', drawn: 'fill' }],
    label: 'Measuring',
    words: ({ checks }, nowMs) => ({ word: `First figures ${firstFiguresWords(checks, nowMs)}`, detail: '' }),
  },
  ok: {
    rank: 9,
    tone: 'healthy',
    shape: [circle, { path: 'm5.2 8.2 2 2 3.6-4', drawn: 'line' }],
    label: 'On track',
    words: ({ state_reason }) => ({
      word: state_reason === null ? 'On track' : 'Checking again', // a check failed, and is repeated within seconds
      detail: state_reason ?? '',
    }),
  },
  paused: {
    rank: 10,
    tone: 'unknown',
    shape: [circle, { path: 'M6.3 5.4v5.2m3.4-5.2v5.2', drawn: 'line' }],
    label: 'Paused',
    words: ({ state_since }, nowMs) => ({ word: 'Paused', detail: sinceWords(state_since, nowMs) }),
  },
}

/** State to show of an SLO. */
export function shownState({ state, state_reason }: Pick<Stated, 'state' | 'state_reason'>): ShownState {
  return state === 'unknown' && state_reason === 'paused' ? 'paused' : state
}

const frozenRank = 2 // of what is unknown while its incident is open

/** Order of an SLO by attention, smaller is more urgent. */
export function rankOf(of: Pick<Stated, 'state' | 'state_reason' | 'was'>): number {
  const shown = shownState(of)
  return shown === 'unknown' && of.was ? frozenRank : states[shown].rank
}

/** Reason why nothing checks an SLO any more, after a colon. It is a sentence, while other reasons are codes of one word; empty for these. */
function whyStopped(reason: string | null): string {
  return reason?.includes(' ') ? `: ${reason}` : ''
}

/** Words for the missing data of an unknown state, by its reason. */
const missing: Record<string, string | undefined> = {
  source_error: 'No answer',
  no_data: 'No data',
  no_traffic: 'No traffic',
  stale: 'No evaluation',
  paused: 'Paused',
  deleted: 'Deleted',
  database_damaged: 'Not readable',
}

/** Type of the open incident among the firing alerts of an SLO; null: there is none. */
export function incidentAmong(firing: readonly { name: string }[]): 'down' | 'burning' | null {
  if (firing.some(({ name }) => name === 'down')) return 'down'
  return firing.some(({ name }) => name.startsWith('burn_rate')) ? 'burning' : null
}

/** State of a row of the overview. */
export function statedOf(slo: OverviewSlo): Stated {
  const { burn, firing } = slo
  return { ...slo, was: incidentAmong(firing), tierRate: burn?.state === 'burning' ? burn.rate : null }
}

/** True for the states in which the budget burns faster than it lasts. */
export function isBurning(state: State): boolean {
  return state === 'down' || state === 'burning_fast' || state === 'burning'
}

/** Burn rate to show: the current one, or that of the firing tier if the SLO burns by that alone. */
export function rateOf({ state, burn_rate_now: currentRate, tierRate = null }: Stated): number | null {
  return isBurning(state) && (currentRate === null || currentRate <= 1) ? (tierRate ?? currentRate) : currentRate
}

/**
 * Burn rate beside the state of an SLO that burns: that of the firing tier over its long window, or of now (`windowSeconds` null) while
 * no tier is known. `rate` null: neither is.
 */
export function burnBeside(
  stated: Stated,
  tier: OverviewSlo['burn'],
): { rate: number | null; windowSeconds: number | null } {
  if (tier?.state === 'burning') return { rate: tier.rate, windowSeconds: tier.window_seconds }
  return { rate: rateOf(stated), windowSeconds: null }
}

function burningWords(stated: Stated, nowMs: number): StateWords {
  const rate = rateOf(stated)
  return {
    word: rate === null || rate <= 1 ? 'Burning' : `Burning ${formatBurn(rate)}`,
    detail: sinceWords(stated.state_since, nowMs),
  }
}

function sinceWords(since: string | null, nowMs: number): string {
  return since === null ? '' : `since ${formatMoment(Date.parse(since), nowMs)}`
}

function missingSince(what: string, since: string | null, nowMs: number): string {
  return since === null ? what : `${what} since ${formatMoment(Date.parse(since), nowMs)}`
}

/** State in one line: `Down 8 min: HTTP 503`, `No answer since 05:31 (was down)`. */
export function stateLine(stated: Stated, nowMs: number): string {
  const shown = shownState(stated)
  const { word, detail } = states[shown].words(stated, nowMs)
  if (detail === '') return word
  if (shown === 'unknown') return `${word} (${detail})`
  return stated.state === 'down' || stated.state === 'ok' ? `${word}: ${detail}` : `${word} ${detail}`
}

/** Start of a state as a sentence, for a tooltip. */
export function startText(sinceMs: number): string {
  return `Since ${formatFull(sinceMs)}`
}
