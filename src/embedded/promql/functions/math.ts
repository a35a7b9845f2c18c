/** What a function of one number makes of it. */
export const numberFunctions = new Map<string, (value: number) => number>([
  ...(['abs', 'ceil', 'floor', 'exp', 'log2', 'log10', 'sqrt'] as const).map((name) => [name, Math[name]] as const),
  ...(['acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh'] as const).map((name) => [name, Math[name]] as const),
  ...(['cos', 'cosh', 'sin', 'sinh', 'tan', 'tanh'] as const).map((name) => [name, Math[name]] as const),
  ['ln', Math.log],
  ['sgn', (value) => (value < 0 ? -1 : value > 0 ? 1 : value)],
  ['deg', (value) => (value * 180) / Math.PI],
  ['rad', (value) => (value * Math.PI) / 180],
])

const dayMs = 86_400_000
const least = -(2 ** 63) // of int64
const cycleYears = 400 // after which the days of the week are the same again too
const cycleSeconds = 12_622_780_800
/** The first second of Go's calendar, in March of the year -292,277,022,400: 257 years after the least number of int64. */
const firstSecond = -((730_692_556n * 146_097n + 306n) * 86_400n) - 62_135_596_800n

/** A time in UTC. `date` is in the first 400 years from 1970 on, and the same as in `year` in all but its own year. */
type Moment = { date: Date; year: number }

/**
 * The moment of Unix seconds as Go reads them from a float on amd64: what int64 does not hold, NaN and infinity too, is its
 * least number, and what lies before the first second of the calendar is counted on from its last.
 */
function momentOf(seconds: number): Moment {
  const [cycles, second] = seconds >= 0 && seconds < cycleSeconds ? [0, Math.trunc(seconds)] : inCycles(seconds)
  const date = new Date(second * 1000)
  return { date, year: date.getUTCFullYear() + cycleYears * cycles }
}

function inCycles(seconds: number): [cycles: number, second: number] {
  const whole = BigInt(seconds >= least && seconds < -least ? Math.trunc(seconds) : least)
  const at = BigInt.asUintN(64, whole - firstSecond) + firstSecond
  const length = BigInt(cycleSeconds)
  const second = ((at % length) + length) % length
  return [Number((at - second) / length), Number(second)]
}

const ofMoment = (of: (moment: Moment) => number) => (seconds: number) => of(momentOf(seconds))

/** Functions of a time (Unix seconds) in UTC, by name. */
export const dateFunctions = new Map<string, (seconds: number) => number>([
  ['minute', ofMoment(({ date }) => date.getUTCMinutes())],
  ['hour', ofMoment(({ date }) => date.getUTCHours())],
  ['day_of_week', ofMoment(({ date }) => date.getUTCDay())],
  ['day_of_month', ofMoment(({ date }) => date.getUTCDate())],
  ['month', ofMoment(({ date }) => date.getUTCMonth() + 1)],
  ['year', ofMoment(({ year }) => year)],
  [
    'days_in_month',
    ofMoment(({ date }) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()),
  ],
  [
    'day_of_year',
    ofMoment(({ date }) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1),
  ],
])

/** To the nearest multiple, halves up. */
export function round(value: number, multiple: number): number {
  const inverse = 1 / multiple
  return Math.floor(value * inverse + 0.5) / inverse
}

/** The greater of two as Go has it: infinity beats NaN. */
export function greater(a: number, b: number): number {
  return a === Infinity || b === Infinity ? Infinity : Math.max(a, b)
}

export function smaller(a: number, b: number): number {
  return a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b)
}
