/** Longest line of an iCalendar object in octets, without its end: RFC 5545, section 3.1. */
const maxOctets = 75

/** Escapes a text for a property value: RFC 5545, section 3.3.11. Control characters, which it forbids, are left out. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', String.raw`\n`)
    .replaceAll(/[^\P{Cc}\t]/gu, '')
}

/** Folds a line into lines of at most 75 octets, between characters: RFC 5545, section 3.1. */
export function foldLine(line: string): string {
  let folded = ''
  let octets = 0
  for (const character of line) {
    const own = Buffer.byteLength(character)
    if (octets + own > maxOctets) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += own
  }
  return folded
}

/** Part of an iCalendar object: folds and ends lines whose texts are escaped already. */
export function foldedLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

/** DATE-TIME in UTC, as in `20261129T020000Z`: RFC 5545, section 3.3.5, form 2. */
export function utcTime(seconds: number): string {
  return `${localTime(seconds, 'UTC')}Z`
}

/** DATE-TIME of a zone, as in `20261129T030000`, for a property with TZID: RFC 5545, section 3.3.5, form 3. */
export function localTime(seconds: number, zone: string): string {
  return compact(
    Temporal.Instant.fromEpochMilliseconds(1000 * seconds)
      .toZonedDateTimeISO(zone)
      .toPlainDateTime(),
  )
}

function compact(time: Temporal.PlainDateTime): string {
  return time.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '')
}

/** UTC-OFFSET of whole minutes, as in `+0545`: RFC 5545, section 3.3.14. */
function utcOffset(nanoseconds: number): string {
  const minutes = Math.round(Math.abs(nanoseconds) / 60e9)
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join('')
  return `${nanoseconds < 0 ? '-' : '+'}${digits}`
}

const maxObservances = 200

/**
 * VTIMEZONE with each change of a zone's offset from the last one before `sinceSeconds` to `untilSeconds`, after which the last
 * offset holds: RFC 5545, section 3.6.5.
 */
export function timeZoneLines(zone: string, sinceSeconds: number, untilSeconds: number): string[] {
  const start = Temporal.Instant.fromEpochMilliseconds(1000 * sinceSeconds + 1).toZonedDateTimeISO(zone)
  const first = start.getTimeZoneTransition('previous')
  const changes: Temporal.ZonedDateTime[] = []
  for (
    let next = first ?? start.getTimeZoneTransition('next');
    next !== null && next.epochMilliseconds <= 1000 * untilSeconds && changes.length < maxObservances;
    next = next.getTimeZoneTransition('next')
  ) {
    changes.push(next)
  }
  const begin = first === null ? observance('19700101T000000', start.offsetNanoseconds, start.offsetNanoseconds) : []
  const observances = changes.flatMap((change) => {
    const from = change.subtract({ nanoseconds: 1 }).offsetNanoseconds
    const onset = change.toInstant().add({ nanoseconds: from }).toZonedDateTimeISO('UTC').toPlainDateTime()
    return observance(compact(onset), from, change.offsetNanoseconds)
  })
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...begin, ...observances, 'END:VTIMEZONE']
}

/** Observance that begins at a local time of the offset before it. `from`, `to`: offsets in nanoseconds. */
function observance(onset: string, from: number, to: number): string[] {
  const kind = to > from ? 'DAYLIGHT' : 'STANDARD'
  const offsets = [`TZOFFSETFROM:${utcOffset(from)}`, `TZOFFSETTO:${utcOffset(to)}`]
  return [`BEGIN:${kind}`, `DTSTART:${onset}`, ...offsets, `END:${kind}`]
}
