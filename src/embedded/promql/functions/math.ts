import { dayMs } from '../../../clock.ts'

/** Functions of one number, by name. */
export const numberFunctions = new Map<string, (value: number) => number>([
  ...(['abs', 'ceil', 'floor', 'exp', 'log2', 'log10', 'sqrt'] as const).map((name) => [name, Math[name]] as const),
  ...(['acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh'] as const).map((name) => [name, Math[name]] as const),
  ...(['cos', 'cosh', 'sin', 'sinh', 'tan', 'tanh'] as const).map((name) => [name, Math[name]] as const),
  ['ln', Math.log],
  ['sgn', (value) => (value < 0 ? -1 : value > 0 ? 1 : value)],
  ['deg', (value) => (value * 180) / Math.PI],
  ['rad', (value) => (value * Math.PI) / 180],
])

const minInt64 = -(2 ** 63)
const cycleYears = 400 // the calendar repeats after so many years, with the days of the week
const cycleSeconds = 12_622_780_800
/** First second of Go's calendar, in March of the year -292,277,022,400: 257 years after the minimum of int64. */
const firstSecond = -((730_692_556n * 146_097n + 306n) * 86_400n) - 62_135_596_800n

/** A time in UTC. `date`: in the 400 years from 1970 on, and equal to the time except for its year, which is `year`. */
type Moment = { date: Date; year: number }

/**
 * Converts Unix seconds like Go does from a float on amd64. Values out of int64, also NaN and infinity, become its minimum.
 * Times before the first second of the calendar wrap around to its end.
 */
function momentOf(seconds: number): Moment {
  const [cycles, second] = seconds >= 0 && seconds < cycleSeconds ? [0, Math.trunc(seconds)] : inCycles(seconds)
  const date = new Date(second * 1000)
  return { date, year: date.getUTCFullYear() + cycleYears * cycles }
}

function inCycles(seconds: number): [cycles: number, second: number] {
  const wholeSeconds = BigInt(seconds >= minInt64 && seconds < -minInt64 ? Math.trunc(seconds) : minInt64)
  const wrapped = BigInt.asUintN(64, wholeSeconds - firstSecond) + firstSecond
  const length = BigInt(cycleSeconds)
  const second = ((wrapped % length) + length) % length
  return [Number((wrapped - second) / length), Number(second)]
}

const dateFunction = (read: (moment: Moment) => number) => (seconds: number) => read(momentOf(seconds))

/** Functions of a time (Unix seconds) in UTC, by name. */
export const dateFunctions = new Map<string, (seconds: number) => number>([
  ['minute', dateFunction(({ date }) => date.getUTCMinutes())],
  ['hour', dateFunction(({ date }) => date.getUTCHours())],
  ['day_of_week', dateFunction(({ date }) => date.getUTCDay())],
  ['day_of_month', dateFunction(({ date }) => date.getUTCDate())],
  ['month', dateFunction(({ date }) => date.getUTCMonth() + 1)],
  ['year', dateFunction(({ year }) => year)],
  [
    'days_in_month',
    dateFunction(({ date }) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()),
  ],
  [
    'day_of_year',
    dateFunction(({ date }) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1),
  ],
])

/** Rounds to the nearest multiple, halves up. */
export function round(value: number, multiple: number): number {
  const inverse = 1 / multiple
  return Math.floor(value * inverse + 0.5) / inverse
}

/** Greater of two numbers, like in Go: infinity beats NaN. */
export function greater(a: number, b: number): number {
  return a === Infinity || b === Infinity ? Infinity : Math.max(a, b)
}

export function smaller(a: number, b: number): number {
  return a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b)
}
