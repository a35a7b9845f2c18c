import { Decoded, Format } from './schemas.ts'

/** ISO 8601 with a time zone: without one, the time would depend on the machine. */
const zoned = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i

export const zonedTimeText = 'an ISO 8601 time with a zone'

/** Milliseconds since the Unix epoch; undefined if the text is not an ISO 8601 time with a zone, or the day does not exist. */
export function readZonedTime(text: string): number | undefined {
  const day = zoned.exec(text)?.[1]
  const timeMs = Date.parse(text)
  const realDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)
  return realDay && !Number.isNaN(timeMs) ? timeMs : undefined
}

/** Time in a query string. An unescaped `+` arrives as a space and is accepted. */
export function QueryTime() {
  const read = (value: string) => readZonedTime(value.replace(/ (?=\d{2}:?\d{2}$)/, '+'))
  return Decoded(
    Format('zoned-time', zonedTimeText, (value) => read(value) !== undefined),
    (value) => read(value) ?? NaN,
  )
}
