import { formatCount, formatDuration, formatNumber, list, plural, sentence } from '../../../format.ts'
import type { ReadingSlos } from '../types.ts'

/** A short duration: `0.9 ms`, `23 ms`, `2 s`. */
export function formatMs(ms: number): string {
  if (ms < 10) return `${formatNumber(ms, 1)}\u2009ms`
  return ms < 10_000 ? `${formatNumber(ms)}\u2009ms` : formatDuration(ms / 1000)
}

/** Last run, with its duration if it is known, and what it brought. */
export function ranWords<Part>(ago: Part, durationMs: number | null, samples: number): (Part | string)[] {
  const count = plural(samples, '# sample', '# samples', formatCount)
  return durationMs === null
    ? sentence`Ran ${ago}, ${count}`
    : sentence`Ran ${ago}, took ${formatMs(durationMs)}, ${count}`
}

/** Schedule of runs, and when the next is due. `nextAt`: null: it is not known. */
export function everyWords(intervalSeconds: number, nextAt: string | null, nowMs: number): string {
  const interval = formatDuration(intervalSeconds)
  if (nextAt === null) return `every ${interval}`
  const seconds = (Date.parse(nextAt) - nowMs) / 1000
  return seconds < 1 ? `every ${interval}, next now` : `every ${interval}, next in ${formatDuration(seconds)}`
}

const shownSlos = 5

type ReadingSlo = ReadingSlos['slos'][number]

/** Sentences on the SLOs that read a check, heartbeat or endpoint, and on what its pause or deletion ends. */
export function stopWords(slos: readonly ReadingSlo[]): string {
  if (slos.length === 0) return 'No SLO reads it.'
  const [others, alone] = [slos.filter(({ reads_others }) => reads_others), slos.filter((one) => !one.reads_others)]
  const sentences = [
    readWords(alone, 'of which nothing is known then'),
    readWords(others, 'which read others too', 'which reads others too'),
    closedWords(slos.filter(({ incident_id }) => incident_id !== null)),
  ]
  return sentences.filter(Boolean).join(' ')
}

function readWords(slos: readonly ReadingSlo[], which: string, whichOne = which): string {
  if (slos.length === 0) return ''
  const read = plural(slos.length, `One SLO reads it, ${whichOne}`, `# SLOs read it, ${which}`)
  return `${read}: ${namesOf(slos)}.`
}

function closedWords(failing: readonly ReadingSlo[]): string {
  if (failing.length === 0) return ''
  const numbers = failing.map(({ incident_id }) => `#${incident_id}`)
  const open = plural(failing.length, 'The open incident', 'The open incidents')
  const are = plural(failing.length, 'is', 'are')
  return `${open} of ${namesOf(failing)} (${list(numbers, shownSlos)}) ${are} closed, not known to be over.`
}

function namesOf(slos: readonly ReadingSlo[]): string {
  return list(
    slos.map(({ name }) => name),
    shownSlos,
  )
}

/** Hint of the labels of an endpoint or check. `job`: their label job; '' is not known yet. */
export function labelsHint(job: string): string {
  return `Added to every series, one a line, such as rack=b. The label job is ${job === '' ? 'the name' : job}.`
}

/** Outcome of the last runs, with the duration of the longest. */
export function runsLabel(succeeded: number, all: number, longestMs: number): string {
  return `${formatNumber(succeeded)} of the last ${formatNumber(all)} runs succeeded; the longest took ${formatMs(longestMs)}`
}

/** A line to copy, by the place that it is for. */
export function theLineWords(from: string): string {
  return `the line for ${from}`
}

export function pauseQuestion(name: string): string {
  return `Pause ${name}?`
}

export function deleteQuestion(name: string): string {
  return `Delete ${name}?`
}

/** Message before the reason. */
export function slosNotReadText(name: string): string {
  return `${name}: its SLOs were not read.`
}

/** Message after the deletion of what has credentials. */
export function deletedWithCredentialsText(name: string): string {
  return `${name}: deleted, with its credentials.`
}

/** Label of the result of a trial. */
export function trialLabel(name: string): string {
  return `What ${name} gave just now`
}

/** Message before the reason. */
export function noSloMadeText(name: string): string {
  return `${name}: no SLO was made.`
}
