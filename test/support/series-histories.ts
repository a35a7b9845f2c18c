import * as fc from 'fast-check'
import type { CounterSeries, Sample } from './counter-world.ts'

/** A change of a series from minute `at` on. `away`: ends with a staleness marker; `silent`: without one. */
type SeriesEvent = { kind: 'reset' | 'away' | 'silent'; at: number; minutes: number }

/** History of one series: its repeated counts between scrapes and its events. Times in minutes. */
export type SeriesHistory = {
  code: string
  everySeconds: number
  phaseSeconds: number
  counts: number[]
  begins: number
  ends: number | null
  events: readonly SeriesEvent[]
}

const minute = 60

const steady = {
  code: fc.constantFrom('200', '500'),
  everySeconds: fc.constantFrom(15, 30, 60),
  phaseSeconds: fc.nat(14),
  counts: fc.array(fc.nat(9), { minLength: 1, maxLength: 7 }),
}

/** Series that exist all the time. */
export const steadySeries = fc.array(
  fc.record({ ...steady, begins: fc.constant(-1), ends: fc.constant(null), events: fc.constant([]) }),
  { minLength: 1, maxLength: 4 },
)

/** Series that appear and vanish, are reset, and are not scraped for a while. */
export function eventfulSeries(minutes: number): fc.Arbitrary<SeriesHistory[]> {
  const event = fc.record({
    kind: fc.constantFrom('reset', 'away', 'silent'),
    at: fc.nat(minutes),
    minutes: fc.integer({ min: 1, max: 12 }),
  })
  return fc.array(
    fc.record({
      ...steady,
      begins: fc.oneof(fc.constant(-1), fc.nat(minutes)),
      ends: fc.option(fc.nat(minutes)),
      events: fc.array(event, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
}

/** Samples of a service's series for `minutes` minutes from `fromSeconds` on, by its history. */
export function seriesOf(history: SeriesHistory, service: string, fromSeconds: number, minutes: number): CounterSeries {
  const { code, everySeconds, phaseSeconds, counts, begins, ends, events } = history
  const samples: Sample[] = []
  let value = 1000
  let wasReset = false // at most one reset: a second one of a still small counter cannot be detected
  let isAway = false
  for (let n = 0; n * everySeconds < minutes * minute; n += 1) {
    const time = fromSeconds + phaseSeconds + n * everySeconds
    const at = (n * everySeconds) / minute
    const count = counts[n % counts.length] ?? 0
    const is = (kind: SeriesEvent['kind']) =>
      events.some((one) => one.kind === kind && at >= one.at && at < one.at + one.minutes)
    value = is('reset') && !wasReset ? count : value + count
    wasReset ||= is('reset')
    if (at < begins || is('silent')) continue
    const wasAway = isAway
    isAway = is('away') || (ends !== null && at >= ends)
    if (!isAway) samples.push([time, value])
    else if (!wasAway) samples.push([time, NaN])
  }
  return { service, code, samples }
}

/** Upper bound of what series count while they are away and in the minutes in which they appear, vanish or are reset. */
export function countedInChange(histories: SeriesHistory[]): number {
  const changing = ({ begins, ends, events }: SeriesHistory) =>
    events.reduce((sum, { minutes }) => sum + minutes + 1, (begins > 0 ? 1 : 0) + (ends === null ? 0 : 1))
  const perMinute = ({ counts, everySeconds }: SeriesHistory) => Math.max(...counts) * (minute / everySeconds)
  return histories.reduce((sum, history) => sum + changing(history) * perMinute(history), 0)
}
