export const clockStyles = ['12h', '24h'] as const
export type ClockStyle = (typeof clockStyles)[number]

/** Time zone (IANA name) and clock style in which times are written for people. */
export type Zone = { timeZone: string; clock: ClockStyle }

/** Default of an organization that has set none. */
export const utc: Zone = { timeZone: 'UTC', clock: '24h' }

/** Zone and clock of an organization: UTC and 24 hours where it has set none. */
export function zoneOf({ time_zone, clock }: { time_zone: string | null; clock: ClockStyle | null }): Zone {
  return { timeZone: time_zone ?? utc.timeZone, clock: clock ?? utc.clock }
}

/** Finds the canonical IANA name of a time zone, ignoring case; undefined: there is none of that name. */
export function findTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(name)) return undefined // an offset such as +01:00 knows no daylight-saving time
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const formats = new Map<string, Intl.DateTimeFormat>() // creating one takes longer than a message

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, ...day, ...time })
  formats.set(timeZone, format)
  return format
}

/** Writes times for people, each given in ISO 8601. */
export type TimeWriter = {
  /** Time of day to the second: `10:00:05 UTC`, `11:00:05 (10:00:05 UTC)`. */
  second(iso: string): string
  /** Date and time to the minute: `2026-11-21 10:00 UTC`, `2026-11-21 11:00 (10:00 UTC)`. */
  minute(iso: string): string
  /** Time of day to the minute, with the date where it is another day than `nowIso`. */
  since(iso: string, nowIso: string | null): string
}

/**
 * Creates the writer for the times of one text. UTC is added to the first time of each offset from UTC, so that an hour that a
 * change of daylight-saving time repeats is never ambiguous. If the zone has the time of UTC, times are written as UTC only.
 */
export function timeWriter({ timeZone, clock }: Zone): TimeWriter {
  const shownOffsets = new Set<number>()
  const localOf = (iso: string) => formatIn(timeZone).format(Date.parse(iso)).replace(' ', 'T')
  const write = (iso: string, { end, hasDate }: { end: number; hasDate: boolean }): string => {
    const [local, universal] = [localOf(iso), iso.slice(0, 19)]
    const text = `${hasDate ? `${dateOf(local)} ` : ''}${timeOf(local, clock, end)}`
    if (local === universal) return `${text} UTC`
    const offsetMs = Date.parse(`${local}Z`) - Date.parse(`${universal}Z`)
    if (shownOffsets.has(offsetMs)) return text
    shownOffsets.add(offsetMs)
    const utcDate = hasDate && dateOf(local) !== dateOf(universal) ? `${dateOf(universal)} ` : ''
    return `${text} (${utcDate}${timeOf(universal, '24h', end)} UTC)`
  }
  return {
    second: (iso) => write(iso, { end: 19, hasDate: false }),
    minute: (iso) => write(iso, { end: 16, hasDate: true }),
    since(iso, nowIso) {
      const hasDate = nowIso !== null && dateOf(localOf(iso)) !== dateOf(localOf(nowIso))
      return write(iso, { end: 16, hasDate })
    },
  }
}

function dateOf(time: string): string {
  return time.slice(0, 10)
}

/** Time of day up to a position of an ISO time: `06:46`, `6:46 AM`. */
function timeOf(time: string, clock: ClockStyle, end: number): string {
  if (clock === '24h') return time.slice(11, end)
  const hours = Number(time.slice(11, 13))
  return `${hours % 12 || 12}${time.slice(13, end)} ${hours < 12 ? 'AM' : 'PM'}`
}
