import { AppError } from '../../errors.ts'
import { type BodyBounds, readText } from '../../http/bodies/body.ts'
import { badParameter } from './bad-data.ts'
import { readZonedTime } from '../../http/zoned-time.ts'

/** What a request to the API asks with; where a name comes twice, the first counts. */
export type Parameters = URLSearchParams

/** A request to the API, by the stopwatch; its signal says that nobody waits for the answer any more. */
export type Question = {
  organizationId: number
  parameters: Parameters
  request: { signal: AbortSignal }
  askedAtMs: number
}

/** The fields of the form in the body, if there is one, and after them those of the query string. */
export async function readParameters(request: Request, bounds: BodyBounds): Promise<Parameters> {
  const question = request.url.indexOf('?')
  const query = new URLSearchParams(question < 0 ? '' : request.url.slice(question))
  if (!request.body) return query
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new AppError('unsupported_media_type', 'Unsupported media type', {
      details: 'Content-Type: must be application/x-www-form-urlencoded',
    })
  }
  const form = new URLSearchParams(await readText(request.body, bounds))
  for (const [name, value] of query) form.append(name, value)
  return form
}

/** A parameter; empty counts as absent. */
export function textOf(parameters: Parameters, name: string): string | undefined {
  return parameters.get(name) || undefined
}

/** Milliseconds since the Unix epoch; nothing where it is absent. Throws for what is no time. */
export function timeOf(parameters: Parameters, name: string): number | undefined {
  return textOf(parameters, name) === undefined
    ? undefined
    : needTime(parameters, name, `invalid time value for '${name}': `)
}

/** The same of a time that must be there. */
export function needTime(parameters: Parameters, name: string, lead = ''): number {
  const text = parameters.get(name) ?? ''
  const timeMs = readTime(text)
  if (timeMs === undefined) throw badParameter(name, `${lead}cannot parse "${text}" to a valid timestamp`)
  return timeMs
}

/** How many of something are requested; 0: all. Throws for what is no number. */
export function limitOf(parameters: Parameters): number {
  const text = textOf(parameters, 'limit') ?? '0'
  const limit = /^[+-]?\d+$/.test(text) ? Number(text) : NaN
  if (!Number.isSafeInteger(limit)) throw badParameter('limit', `cannot parse "${text}" to an integer`)
  if (limit < 0) throw badParameter('limit', 'limit must be non-negative')
  return limit
}

/** The warning of an answer that a limit has cut. */
export const truncated = 'results truncated due to limit'

/** Whole milliseconds; nothing where it is absent. Throws for what is no duration. */
export function durationOf(parameters: Parameters, name: string): number | undefined {
  return textOf(parameters, name) === undefined ? undefined : needDuration(parameters, name)
}

/** The same of a duration that must be there. */
export function needDuration(parameters: Parameters, name: string): number {
  const text = parameters.get(name) ?? ''
  const durationMs = readDuration(text)
  if (durationMs === undefined) throw badParameter(name, `cannot parse "${text}" to a valid duration`)
  return durationMs
}

/** What a `Date` can hold. */
const latestMs = 8.64e15
/** What the durations of Prometheus can hold: 64 bits of nanoseconds. */
const maxMs = 2 ** 63 / 1e6

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const units = [
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const
const duration = new RegExp(`^${units.map(([unit]) => `(?:(\\d+)${unit})?`).join('')}$`)

/** Unix seconds, or an RFC 3339 time, in whole milliseconds; nothing for what is neither, or out of all bounds. */
function readTime(text: string): number | undefined {
  const timeMs = number.test(text) ? Math.round(Number(text) * 1000) : readZonedTime(text)
  return timeMs !== undefined && Math.abs(timeMs) <= latestMs ? timeMs : undefined
}

/** Seconds, or a duration of Prometheus (`1h30m`), in whole milliseconds; nothing for what is neither. */
function readDuration(text: string): number | undefined {
  const durationMs = number.test(text) ? wholeMs(Number(text)) : unitsMs(text)
  return durationMs !== undefined && Math.abs(durationMs) < maxMs ? durationMs : undefined
}

/** As Prometheus does: to nanoseconds, and then to milliseconds, with the rest cut off. */
function wholeMs(seconds: number): number {
  return Math.trunc(Math.trunc(seconds * 1e9) / 1e6)
}

function unitsMs(text: string): number | undefined {
  const counts = duration.exec(text)?.slice(1)
  if (text === '' || !counts) return undefined
  return units.reduce((sum, [, unitMs], place) => sum + Number(counts[place] ?? 0) * unitMs, 0)
}
