import * as fc from 'fast-check'
import type { CounterSeries, Sample } from './counter-world.ts'

/** What happens to a series from a minute on; `away`: the source sees it go, `silent`: it does not. */
type Happening = { kind: 'anew' | 'away' | 'silent'; at: number; minutes: number }

/** The life of one series: what it counts between scrapes, over and over, and what happens to it; times in minutes. */
export type Tale = {
  code: string
  everySeconds: number
  phaseSeconds: number
  counts: number[]
  born: number
  gone: number | null
  happenings: readonly Happening[]
}

const minute = 60

const steady = {
  code: fc.constantFrom('200', '500'),
  everySeconds: fc.constantFrom(15, 30, 60),
  phaseSeconds: fc.nat(14),
  counts: fc.array(fc.nat(9), { minLength: 1, maxLength: 7 }),
}

/** Series that are there all the time. */
export const steadyTales = fc.array(
  fc.record({ ...steady, born: fc.constant(-1), gone: fc.constant(null), happenings: fc.constant([]) }),
  { minLength: 1, maxLength: 4 },
)

/** Series that come and go, begin again, and are not scraped for a while. */
export function eventfulTales(minutes: number): fc.Arbitrary<Tale[]> {
  const happening = fc.record({
    kind: fc.constantFrom('anew', 'away', 'silent'),
    at: fc.nat(minutes),
    minutes: fc.integer({ min: 1, max: 12 }),
  })
  return fc.array(
    fc.record({
      ...steady,
      born: fc.oneof(fc.constant(-1), fc.nat(minutes)),
      gone: fc.option(fc.nat(minutes)),
      happenings: fc.array(happening, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
}

/** The series of a service as a tale has it, of so many minutes from a time on. */
export function seriesOf(tale: Tale, service: string, fromSeconds: number, minutes: number): CounterSeries {
  const { code, everySeconds, phaseSeconds, counts, born, gone, happenings } = tale
  const samples: Sample[] = []
  let value = 1000
  let isAnew = false // once only: a counter that begins again while it is small is not seen to
  let isAway = false
  for (let n = 0; n * everySeconds < minutes * minute; n += 1) {
    const time = fromSeconds + phaseSeconds + n * everySeconds
    const at = (n * everySeconds) / minute
    const count = counts[n % counts.length] ?? 0
    const is = (kind: Happening['kind']) =>
      happenings.some((one) => one.kind === kind && at >= one.at && at < one.at + one.minutes)
    value = is('anew') && !isAnew ? count : value + count
    isAnew ||= is('anew')
    if (at < born || is('silent')) continue
    const wasAway = isAway
    isAway = is('away') || (gone !== null && at >= gone)
    if (!isAway) samples.push([time, value])
    else if (!wasAway) samples.push([time, NaN])
  }
  return { service, code, samples }
}

/** The most that series count while they are away, and in the minutes in which they come, go or begin again. */
export function countedInChange(tales: Tale[]): number {
  const changing = ({ born, gone, happenings }: Tale) =>
    happenings.reduce((sum, { minutes }) => sum + minutes + 1, (born > 0 ? 1 : 0) + (gone === null ? 0 : 1))
  const perMinute = ({ counts, everySeconds }: Tale) => Math.max(...counts) * (minute / everySeconds)
  return tales.reduce((sum, tale) => sum + changing(tale) * perMinute(tale), 0)
}
