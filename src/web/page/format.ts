import { isCalendarWindow } from '../../slos/arithmetic/windows.ts'
import { computed } from '@preact/signals'
import { durationParts } from '../../slos/arithmetic/duration.ts'
import { minOverPercent, roundShare, timesOf } from '../../slos/arithmetic/share.ts'
import { dayNumber, wallTime, zone, zoneOf } from './zone.ts'

const thin = '\u2009'
const minus = '\u2212'

/** Formats of numbers by their largest and smallest number of decimals; creating one takes longer than drawing a row. */
const numbers = computed(() => {
  const { locale } = zone.value
  const formats = new Map<number, Intl.NumberFormat>()
  return (decimals: number, minDecimals: number): Intl.NumberFormat => {
    const key = decimals * 100 + minDecimals
    const known = formats.get(key)
    if (known) return known
    const digits = { minimumFractionDigits: minDecimals, maximumFractionDigits: decimals }
    const format = new Intl.NumberFormat(locale, { ...digits, signDisplay: 'negative' })
    formats.set(key, format)
    return format
  }
})

/** `n` with grouping and `decimals` places, with a true minus sign. */
export function formatNumber(n: number, decimals = 0): string {
  return numbers.value(decimals, decimals).format(n).replace('-', minus)
}

/** `n` with at most so many places, without zeros at its end. */
export function formatShort(n: number, maxDecimals: number): string {
  return numbers.value(maxDecimals, 0).format(n).replace('-', minus)
}

/** A percentage with its unit: `99.862 %`. */
export function formatPercent(percent: number, decimals = 0): string {
  return `${formatNumber(percent, decimals)}${thin}%`
}

/**
 * An SLI in percent with two decimals more than its target has. Rounding never moves it across the target: a value below the
 * target is rounded down, a value at or above it stays there.
 */
export function formatSli(sliPercent: number, targetPercent: number): string {
  const decimals = Math.min(6, decimalsOf(targetPercent) + 2)
  const factor = 10 ** decimals
  const rounded = Math.round(sliPercent * factor) / factor
  const crosses = sliPercent < targetPercent ? rounded >= targetPercent : rounded < targetPercent
  const shown = crosses
    ? (sliPercent < targetPercent ? Math.floor(sliPercent * factor) : Math.ceil(sliPercent * factor)) / factor
    : rounded
  return formatNumber(shown, decimals)
}

/** A target with the decimals it was given with: 99.9, 95. */
export function formatTarget(targetPercent: number): string {
  return formatNumber(targetPercent, decimalsOf(targetPercent))
}

function decimalsOf(n: number): number {
  return (String(n).split('.')[1] ?? '').length
}

/** A share of a budget or of failures, as messages write it: `28 %`, `4.3 %`, `< 0.1 %`. */
export function formatShare(percent: number): string {
  const { percent: rounded, decimals, isLess } = roundShare(percent)
  return `${isLess ? `<${thin}` : ''}${formatPercent(rounded, decimals)}`
}

/** Share of a budget that was used: `28 %`; more than the whole budget: `3.2 times`. */
export function formatCost(percent: number): string {
  return percent >= minOverPercent ? timesWords(percent) : formatShare(percent)
}

export const overTenTimes = 'over 10 times'

/** Share of a budget above 100 percent: `3.2 times`, and above ten times `over 10 times`. */
export function timesWords(percent: number): string {
  const factor = timesOf(percent)
  return factor === Infinity ? overTenTimes : `${formatShort(factor, 2)} times`
}

/** A burn rate: `6.1×`, `14×`. */
export function formatBurn(rate: number): string {
  return `${formatNumber(rate, rate < 10 ? 1 : 0)}×`
}

/** A count, short from 10,000 on: `143 k`, `103.7 M`. */
export function formatCount(n: number): string {
  const size = Math.abs(n)
  // each bound is the number that rounds to the first of its unit
  if (size >= 999.95e6) return `${formatNumber(n / 1e9, 1)}${thin}G`
  if (size >= 999.5e3) return `${formatNumber(n / 1e6, 1)}${thin}M`
  if (size >= 9999.5) return `${formatNumber(n / 1e3, size < 99_950 ? 1 : 0)}${thin}k`
  return formatNumber(n, Number.isInteger(n) || size >= 1000 ? 0 : size < 10 ? 2 : 1)
}

/** A duration in its two largest units, as messages write it: `9 h 44 min`, `3 d`, `12 s`. */
export function formatDuration(seconds: number): string {
  return durationParts(seconds)
    .map(({ count, unit }) => `${count}${thin}${unit}`)
    .join(' ')
}

/** Duration since a moment; empty below a minute, and for null. */
export function formatTimeSince(moment: string | null, nowMs: number): string {
  const seconds = moment === null ? 0 : (nowMs - Date.parse(moment)) / 1000
  return seconds < 60 ? '' : formatDuration(seconds)
}

/** A window as the API writes it, for people: `30d` becomes `30 d`. */
export function formatWindow(window: string): string {
  if (isCalendarWindow(window)) return `the ${window}`
  return window.replace(/(\d+)([a-z]+)/g, (_, n: string, unit: string) => `${n}${thin}${unit === 'm' ? 'min' : unit}`)
}

const dayMs = 86_400_000

function hourOf(is12h: boolean) {
  return is12h ? ({ hour: 'numeric', hourCycle: 'h12' } as const) : ({ hour: '2-digit', hourCycle: 'h23' } as const)
}

const fullFields = {
  day: 'numeric',
  year: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
} as const

/** Formats of dates and times in the language, zone and clock of the reader. */
const times = computed(() => {
  const { locale, timeZone, is12h } = zone.value
  const make = (fields: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...fields })
  const hour = hourOf(is12h)
  return {
    clock: make({ ...hour, minute: '2-digit' }),
    clockWithSeconds: make({ ...hour, minute: '2-digit', second: '2-digit' }),
    hourOfUtc: make({ ...hour, ...(is12h ? {} : { minute: '2-digit' }), timeZone: 'UTC' }),
    date: make({ day: 'numeric', month: 'short' }),
    dateOfYear: make({ day: 'numeric', month: 'short', year: 'numeric' }),
    dateOfUtc: make({ day: 'numeric', month: 'short', timeZone: 'UTC' }),
    weekday: make({ weekday: 'short' }),
    weekdayOfUtc: make({ weekday: 'short', timeZone: 'UTC' }),
    zoneName: make({ timeZoneName: 'short' }),
    full: make({ weekday: 'long', month: 'long', ...fullFields, ...hour }),
  }
})

/** A processing time: `240 ms`, `1.4 s`, `2 min`. */
export function formatTook(ms: number): string {
  if (ms < 999.5) return `${formatNumber(ms)}\u2009ms`
  return ms < 59_950 ? `${formatNumber(ms / 1000, 1)}\u2009s` : formatDuration(ms / 1000)
}

/** Keeps `pm` on the line of its time. */
function withoutBreaks(time: string): string {
  return time.replaceAll(' ', '\u202f')
}

export function formatClock(ms: number): string {
  return withoutBreaks(times.value.clock.format(ms))
}

export function formatClockSeconds(ms: number): string {
  return withoutBreaks(times.value.clockWithSeconds.format(ms))
}

/** A full hour of the day, 0 to 23: `06:00`, `6 am`. */
export function formatHour(hour: number): string {
  return withoutBreaks(times.value.hourOfUtc.format(hour * 3_600_000))
}

export function formatDay(ms: number, nowMs: number): string {
  const isSameYear = wallTime(ms).getUTCFullYear() === wallTime(nowMs).getUTCFullYear()
  return (isSameYear ? times.value.date : times.value.dateOfYear).format(ms)
}

/** Name of a day of the week, 1 (Monday) to 7: `Mon`. */
export function formatWeekday(day: number): string {
  return times.value.weekdayOfUtc.format(Date.UTC(2024, 0, day))
}

/** A day of UTC, as the server counts days: `24 Nov`. */
export function formatUtcDay(ms: number): string {
  return times.value.dateOfUtc.format(ms)
}

/** A day of UTC with its weekday: `Tue 24 Nov`. */
export function formatUtcWeekday(ms: number): string {
  return `${times.value.weekdayOfUtc.format(ms)} ${formatUtcDay(ms)}`
}

/** A day of a time zone with its weekday: `Tue 1 Dec`. */
export function formatWeekdayIn(timeZone: string, ms: number): string {
  const { locale } = zone.value
  const make = (fields: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...fields }).format(ms)
  return `${make({ weekday: 'short' })} ${make({ day: 'numeric', month: 'short' })}`
}

/**
 * A moment: only the time of day on the day of `nowMs`, with the weekday within six days of it, otherwise with weekday and date.
 */
export function formatMoment(ms: number, nowMs: number): string {
  return withDay(formatClock(ms), ms, nowMs)
}

/** A point of a chart: a moment as of `formatMoment`, to the second unless it is a whole minute. */
export function formatPoint(ms: number, nowMs: number): string {
  return withDay(ms % 60_000 === 0 ? formatClock(ms) : formatClockSeconds(ms), ms, nowMs)
}

function withDay(clock: string, ms: number, nowMs: number): string {
  if (dayNumber(ms) === dayNumber(nowMs)) return clock
  if (Math.abs(nowMs - ms) < 6 * dayMs) return `${times.value.weekday.format(ms)} ${clock}`
  return `${times.value.weekday.format(ms)} ${formatDay(ms, nowMs)} ${clock}`
}

/** A moment as of `formatMoment`, to the second where it is on the day of `nowMs`. */
export function formatSecond(ms: number, nowMs: number): string {
  return dayNumber(ms) === dayNumber(nowMs) ? formatClockSeconds(ms) : formatMoment(ms, nowMs)
}

/** Time since a moment: `40 s ago`, `3 h ago`; the moment itself after a day, and if it is to come. */
export function formatAgo(ms: number, nowMs: number): string {
  const seconds = (nowMs - ms) / 1000
  if (seconds < 5 && seconds > -5) return 'just now'
  if (seconds >= 86_400 || seconds < 0) return formatMoment(ms, nowMs)
  return `${formatDuration(seconds < 60 ? seconds : seconds - (seconds % 60))} ago`
}

/** The short name of the reader's zone at a moment: `CET`, `GMT+2`. */
export function zoneName(ms: number): string {
  const parts = times.value.zoneName.formatToParts(ms)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'
}

/** A moment in full, for a tooltip: in the reader's zone and in UTC. */
export function formatFull(ms: number): string {
  const local = times.value.full.format(ms)
  return `${local} · ${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`
}

/** A moment as it would be written with another zone and clock, with the name of the zone. */
export function formatExample(ms: number, chosen: Parameters<typeof zoneOf>[0]): string {
  const { locale, timeZone, is12h } = zoneOf(chosen)
  return new Intl.DateTimeFormat(locale, { timeZone, month: 'short', ...fullFields, ...hourOf(is12h) }).format(ms)
}

/** A text with a capital at its start and a mark at its end. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`
}

/** Language of the page's texts; numbers and times follow the reader's instead. */
export const locale = 'en-GB'

const plurals = new Intl.PluralRules(locale)
const lists = new Intl.ListFormat(locale)

/** The text for a count, in which `#` is the count: `plural(2, '# SLO', '# SLOs')` is `2 SLOs`. */
export function plural(
  count: number,
  one: string,
  other: string,
  format: (n: number) => string = formatNumber,
): string {
  return (plurals.select(count) === 'one' ? one : other).replace('#', () => format(count))
}

/** A sentence with its parts in their places, which may be elements: ``sentence`Silenced to ${time}` ``. */
export function sentence<const Parts extends readonly unknown[]>(
  texts: TemplateStringsArray,
  ...parts: Parts
): (string | Parts[number])[] {
  return texts.flatMap((text, at) => [text, parts[at] ?? ''])
}

/** Texts as one: `a, b and c`; if there are at least two more than `max`, `a, b and 2 more`. */
export function list(texts: readonly string[], max = Infinity): string {
  const more = texts.length - max
  return lists.format(more > 1 ? [...texts.slice(0, max), `${formatNumber(more)} more`] : texts)
}

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** A size with at most three digits: `12.3 MB`, `940 bytes`. */
export function formatBytes(bytes: number): string {
  let power = 0
  while (Math.round(bytes / 1000 ** power) >= 1000 && power < byteUnits.length - 1) power += 1
  const size = bytes / 1000 ** power
  return `${formatNumber(size, power === 0 || size >= 99.95 ? 0 : 1)}\u2009${byteUnits[power]}`
}
