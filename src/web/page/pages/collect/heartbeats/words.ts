import type { Tone } from '../../../ui/status.tsx'
import { asSentence, formatDuration, formatMoment, formatNumber, formatShare, sentence } from '../../../format.ts'
import type { Heartbeat, HeartbeatRun } from '../types.ts'

type Word = { state: Tone; word: string }

const states: Record<Heartbeat['state'], Word> = {
  paused: { state: 'unknown', word: 'Paused' },
  waiting: { state: 'unknown', word: 'Waiting' },
  up: { state: 'healthy', word: 'Up' },
  due: { state: 'warning', word: 'Due' },
  missed: { state: 'critical', word: 'Missed' },
  failed: { state: 'critical', word: 'Failed' },
  unknown: { state: 'unknown', word: 'Unknown' },
}

const outcomes: Record<NonNullable<HeartbeatRun['outcome']>, Word> = {
  good: { state: 'healthy', word: 'Good' },
  failed: { state: 'critical', word: 'Failed' },
  missed: { state: 'critical', word: 'Missed' },
  unknown: { state: 'unknown', word: 'Unknown' },
  late: { state: 'warning', word: 'Late' },
}

/** Tone of a heartbeat, with its label. */
export function wordOf({ state }: Pick<Heartbeat, 'state'>): Word {
  return states[state]
}

/** Tone of a run, with its label; a report that is no run has the tone `unknown`. */
export function outcomeWord({ outcome, report }: Pick<HeartbeatRun, 'outcome' | 'report'>): Word {
  return outcome === null
    ? { state: 'unknown', word: report === 'log' ? 'Log' : 'Beside the schedule' }
    : outcomes[outcome]
}

type Expected = Pick<Heartbeat, 'state' | 'next_due_at' | 'deadline_at'>

/** When the next run is expected: `by 03:30, in 4 h`; once that has passed, its deadline. */
export function expectedWords({ state, next_due_at, deadline_at }: Expected, nowMs: number): string {
  if (state === 'paused') return 'not while paused'
  if (next_due_at === null || deadline_at === null) return 'any time'
  const dueMs = Date.parse(next_due_at)
  if (dueMs > nowMs) return `by ${momentIn(dueMs, nowMs)}`
  const deadlineMs = Date.parse(deadline_at)
  return deadlineMs > nowMs ? `now, until ${momentIn(deadlineMs, nowMs)}` : 'now'
}

/** A moment to come: `03:30, in 4 h`. */
export function momentIn(ms: number, nowMs: number): string {
  const seconds = Math.ceil((ms - nowMs) / 1000)
  return `${formatMoment(ms, nowMs)}, in ${formatDuration(seconds < 60 ? seconds : seconds - (seconds % 60))}`
}

type Stated = Pick<Heartbeat, 'state' | 'reason' | 'state_since' | 'is_running'>

/** State of a heartbeat, and what follows from it. */
export function stateSentence(heartbeat: Stated, nowMs: number): string {
  const text = stateOnly(heartbeat, nowMs)
  return heartbeat.is_running && heartbeat.state !== 'paused' ? `${text} A run is under way.` : text
}

function stateOnly({ state, reason, state_since: since }: Stated, nowMs: number): string {
  switch (state) {
    case 'paused':
      return 'It is paused: reports are answered and not counted.'
    case 'waiting':
      return 'It waits for its first report; nothing is due before.'
    case 'up':
      return since === null
        ? 'Its job reports in time.'
        : `Its job reports in time since ${formatMoment(Date.parse(since), nowMs)}.`
    case 'due':
      return 'A run is due, and is still in its grace period.'
    case 'unknown':
      return 'nines was off when the last run was due, so that run counts as none.'
    case 'failed':
      return asSentence(reason ?? 'Its last run failed')
    case 'missed':
      return asSentence(reason ?? 'Its last run was missed')
  }
}

/** Share of good runs: `99 %, 148 of 150`. */
export function goodWords({ runs, good_runs }: Pick<Heartbeat, 'runs' | 'good_runs'>): string {
  return runs === 0 ? 'no run yet' : `${formatShare((good_runs / runs) * 100)}, ${good_runs} of ${runs}`
}

/** Schedule with its grace period: `every 5 min, 1 min of grace`. */
export function scheduleWords({
  period_seconds,
  cron,
  time_zone,
  grace_seconds,
}: Pick<Heartbeat, 'period_seconds' | 'cron' | 'time_zone' | 'grace_seconds'>): string {
  const when = period_seconds === null ? `${cron} in ${time_zone}` : `every ${formatDuration(period_seconds)}`
  return `${when}, ${formatDuration(grace_seconds)} of grace`
}

/** Text in place of the SLOs of a heartbeat that has none. */
export const noSloWords = 'none: nobody is notified when a run fails or is missed'

/** Text in place of the SLOs that are not named. */
export function moreWords(slos: number): string {
  return ` and ${formatNumber(slos)} more`
}

/** Purpose of the key for addresses with slugs, and when it was made; null: there is none. */
export function keySentences<Part>(madeAt: Part | null): (Part | string)[] {
  return madeAt === null
    ? ['One key for all jobs: the address of a heartbeat is the key, and its slug after it. There is no key yet.']
    : sentence`One key for all jobs: the address of a heartbeat is the key, and its slug after it. The key was made ${madeAt}; it is shown only then.`
}

/** Title of the question before a heartbeat gets another address. */
export function newAddressQuestion(name: string): string {
  return `A new address for ${name}?`
}

export function newAddressText(name: string): string {
  return `${name}: has another address.`
}
