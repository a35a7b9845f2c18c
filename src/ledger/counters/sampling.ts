import type { Source } from '../../sources/source.ts'
import { ceilTo, hour, minute } from '../bucket.ts'
import { knownIntervals, learnIntervals } from '../sample-intervals.ts'
import type { CountedSlo } from './query-counters.ts'
import { defaultLookbackSeconds } from './quantities.ts'

/**
 * Sampling of an SLO's counters. `intervalSeconds`: of the slowest series; null: not known. `lookbackSeconds`: time for which the
 * last sample counts as the value, which bridges a missed scrape. `stepSeconds`: part of a minute in which no series has two
 * samples.
 */
export type Sampling = { intervalSeconds: number | null; lookbackSeconds: number; stepSeconds: number }

const bridgedIntervals = 2.2
const steps = [30, 15, 10, 6, 5, 2, 1, 0.5]
const stepOfUnknown = 1
const partsOfSpan = [0, 0.25, 0.5, 0.75]

/** Samplings of the counters of SLOs, as far as they are known, by SLO id. */
export function knownSamplings(source: Source, slos: CountedSlo[]): Map<number, Sampling> {
  return new Map(
    slos.map(({ sloId, counters }) => {
      const intervals = counters.total.flatMap(({ counter }) => knownIntervals(source, counter) ?? [])
      return [sloId, intervals.length > 0 ? samplingOf(intervals) : unknownSampling]
    }),
  )
}

/**
 * Learns how the counters of SLOs are sampled at a time; if that is unknown, and `seconds` are more than an hour, at earlier times
 * within these seconds. By SLO id.
 */
export async function learnSamplings(
  source: Source,
  slos: CountedSlo[],
  atSeconds: number,
  seconds = 0,
): Promise<Map<number, Sampling>> {
  const times = seconds > hour ? partsOfSpan.map((part) => atSeconds - part * seconds) : [atSeconds]
  const samplings = new Map<number, Sampling>()
  for (const time of times) {
    const unknown = slos.filter(({ sloId }) => samplings.get(sloId)?.intervalSeconds === undefined)
    if (unknown.length === 0) break
    const totals = unknown.flatMap(({ counters }) => counters.total.map(({ counter }) => counter))
    const learned = await learnIntervals(source, totals, time)
    for (const { sloId, counters } of unknown) {
      const intervals = counters.total.flatMap(({ counter }) => learned.get(counter.text) ?? [])
      if (intervals.length > 0) samplings.set(sloId, samplingOf(intervals))
    }
  }
  return new Map(slos.map(({ sloId }) => [sloId, samplings.get(sloId) ?? unknownSampling]))
}

const unknownSampling: Sampling = {
  intervalSeconds: null,
  lookbackSeconds: defaultLookbackSeconds,
  stepSeconds: stepOfUnknown,
}

function samplingOf(intervals: { shortestSeconds: number; longestSeconds: number }[]): Sampling {
  const intervalSeconds = Math.max(...intervals.map(({ longestSeconds }) => longestSeconds))
  const shortest = Math.min(...intervals.map(({ shortestSeconds }) => shortestSeconds))
  return {
    intervalSeconds,
    lookbackSeconds: Math.max(defaultLookbackSeconds, ceilTo(bridgedIntervals * intervalSeconds, minute)),
    stepSeconds: steps.find((step) => step <= shortest / 2) ?? 0.5,
  }
}
