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
const dateOf = (seconds: number) => new Date(Math.trunc(seconds) * 1000)

/** What a function of a time (Unix seconds) makes of it, in UTC; NaN for what is no time. */
export const dateFunctions = new Map<string, (seconds: number) => number>([
  ['minute', (seconds) => dateOf(seconds).getUTCMinutes()],
  ['hour', (seconds) => dateOf(seconds).getUTCHours()],
  ['day_of_week', (seconds) => dateOf(seconds).getUTCDay()],
  ['day_of_month', (seconds) => dateOf(seconds).getUTCDate()],
  ['month', (seconds) => dateOf(seconds).getUTCMonth() + 1],
  ['year', (seconds) => dateOf(seconds).getUTCFullYear()],
  [
    'days_in_month',
    (seconds) => partOfYear(seconds, (year, month) => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()),
  ],
  [
    'day_of_year',
    (seconds) =>
      partOfYear(seconds, (year, month, day) => (Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / dayMs + 1),
  ],
])

function partOfYear(seconds: number, of: (year: number, month: number, day: number) => number): number {
  const date = dateOf(seconds)
  return of(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
}

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
