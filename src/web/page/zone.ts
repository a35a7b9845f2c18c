import { computed, signal } from '@preact/signals'

export type ClockStyle = '12h' | '24h'

/** Time zone and clock; null: as the browser. */
type Chosen = { timeZone: string | null; clock: ClockStyle | null }

/** Time zone and clock that count for the user who is signed in, by their own choice or their organization's. */
export const chosenZone = signal<Chosen>({ timeZone: null, clock: null })

/** Language of the browser, which decides how dates and numbers are written. */
export const language = signal<string | undefined>(typeof navigator === 'undefined' ? undefined : navigator.language)

/**
 * Zone, clock and locale of all that the page writes, with Latin digits and the Gregorian calendar. A zone that the browser does not know
 * is as if none were chosen.
 */
export const zone = computed(() => zoneOf(chosenZone.value))

/** Locale, clock and zone that a choice gives in this browser. */
export function zoneOf({ timeZone, clock }: Chosen): { locale: string; is12h: boolean; timeZone: string } {
  const locale = localeOf(language.value)
  const is12h = clock === null ? hasTwelveHours(locale) : clock === '12h'
  return { locale, is12h, timeZone: timeZone !== null && isZone(timeZone) ? timeZone : browserZone() }
}

function localeOf(tag: string | undefined): string {
  try {
    const locale = new Intl.Locale(tag === undefined || tag === 'en' ? 'en-GB' : tag)
    return new Intl.Locale(locale, { numberingSystem: 'latn', calendar: 'gregory' }).toString()
  } catch {
    return 'en-GB' // a tag such as C
  }
}

function hasTwelveHours(locale: string): boolean {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true
}

function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** True for the name of a time zone that the browser knows, in upper or lower case. */
export function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false // an offset such as +01:00
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const dayMs = 86_400_000
const stepMs = 900_000 // offsets change at quarters of an hour
const maxOffsets = 20_000

/** Function that gives the zone's offset from UTC at a moment, in milliseconds; cached, since rows are drawn often and formatting takes long. */
const offsets = computed(() => {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone.value.timeZone, ...fields, hourCycle: 'h23' })
  const known = new Map<number, number>()
  return (ms: number): number => {
    const step = Math.floor(ms / stepMs)
    const kept = known.get(step)
    if (kept !== undefined) return kept
    const parts = Object.fromEntries(
      format.formatToParts(step * stepMs).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    const offsetMs = Date.UTC(year, month - 1, day, hour, minute) - step * stepMs
    if (known.size >= maxOffsets) known.clear()
    known.set(step, offsetMs)
    return offsetMs
  }
})

/** Date and time that the zone has at a moment, as a `Date` whose fields of UTC are those of the zone. */
export function wallTime(ms: number): Date {
  return new Date(ms + (Number.isFinite(ms) ? offsets.value(ms) : 0))
}

/**
 * Moment at which the zone has a date and time, given as if they were of UTC. Of a time that daylight-saving time repeats it is
 * the first; a time that is skipped gives the moment as much later.
 */
export function momentAt(wallMs: number): number {
  const [byEarlierOffset, byLaterOffset] = [
    wallMs - offsets.value(wallMs - dayMs),
    wallMs - offsets.value(wallMs + dayMs),
  ]
  return [byEarlierOffset, byLaterOffset].find((ms) => ms + offsets.value(ms) === wallMs) ?? byEarlierOffset
}

/** Number of the day that the zone has at a moment, in days since 1970. */
export function dayNumber(ms: number): number {
  return Math.floor(wallTime(ms).getTime() / dayMs)
}
