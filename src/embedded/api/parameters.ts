import { AppError } from '../../errors.ts'
import { type BodyBounds, readText } from '../../http/bodies/body.ts'
import { durationUnits } from '../../promql/literals.ts'
import { badParameter } from './bad-data.ts'
import { readZonedTime } from '../../http/zoned-time.ts'

/** Parameters of an API request. If a name occurs twice, the first value counts. */
export type Parameters = URLSearchParams

/** A request to the API. `receivedAtMs`: time on the stopwatch. The signal is aborted once nobody waits for the answer. */
export type ApiRequest = {
  organizationId: number
  parameters: Parameters
  request: { signal: AbortSignal }
  receivedAtMs: number
}

/** Form fields of the body, if there is one, followed by those of the query string. Throws if the body is no form. */
export async function readParameters(request: Request, bounds: BodyBounds): Promise<Parameters> {
  const queryStart = request.url.indexOf('?')
  const query = new URLSearchParams(queryStart < 0 ? '' : request.url.slice(queryStart))
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

/** A parameter; undefined if absent or empty. */
export function textOf(parameters: Parameters, name: string): string | undefined {
  return parameters.get(name) || undefined
}

/** Unix milliseconds; undefined if absent. Throws if it is no time. */
export function timeOf(parameters: Parameters, name: string): number | undefined {
  return textOf(parameters, name) === undefined
    ? undefined
    : requiredTime(parameters, name, `invalid time value for '${name}': `)
}

/** Unix milliseconds of a required parameter. Throws if it is absent or no time. */
export function requiredTime(parameters: Parameters, name: string, lead = ''): number {
  const text = parameters.get(name) ?? ''
  const timeMs = readTime(text)
  if (timeMs === undefined) throw badParameter(name, `${lead}cannot parse "${text}" to a valid timestamp`)
  return timeMs
}

/** Maximum number of results; 0, the default, means all. Throws if it is negative or no integer. */
export function limitOf(parameters: Parameters): number {
  const text = textOf(parameters, 'limit') ?? '0'
  const limit = /^[+-]?\d+$/.test(text) ? Number(text) : NaN
  if (!Number.isSafeInteger(limit)) throw badParameter('limit', `cannot parse "${text}" to an integer`)
  if (limit < 0) throw badParameter('limit', 'limit must be non-negative')
  return limit
}

/** Warning of an answer that was cut by `limit`. */
export const truncated = 'results truncated due to limit'

/** Whole milliseconds; undefined if absent. Throws if it is no duration. */
export function durationOf(parameters: Parameters, name: string): number | undefined {
  return textOf(parameters, name) === undefined ? undefined : requiredDuration(parameters, name)
}

/** Whole milliseconds of a required parameter. Throws if it is absent or no duration. */
export function requiredDuration(parameters: Parameters, name: string): number {
  const text = parameters.get(name) ?? ''
  const durationMs = readDuration(text)
  if (durationMs === undefined) throw badParameter(name, `cannot parse "${text}" to a valid duration`)
  return durationMs
}

/** Bound of a `Date`. */
const latestMs = 8.64e15
/** Bound of Prometheus' durations: 64 bits of nanoseconds. */
const maxMs = 2 ** 63 / 1e6

const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const durationPattern = new RegExp(`^${durationUnits.map(([unit]) => `(?:(\\d+)${unit})?`).join('')}$`)

/** Parses Unix seconds or an RFC 3339 time to whole milliseconds; undefined for anything else and out of bounds. */
function readTime(text: string): number | undefined {
  const timeMs = numberPattern.test(text) ? Math.round(Number(text) * 1000) : readZonedTime(text)
  return timeMs !== undefined && Math.abs(timeMs) <= latestMs ? timeMs : undefined
}

/** Parses seconds or a Prometheus duration (`1h30m`) to whole milliseconds; undefined for anything else. */
function readDuration(text: string): number | undefined {
  const durationMs = numberPattern.test(text) ? wholeMs(Number(text)) : unitsMs(text)
  return durationMs !== undefined && Math.abs(durationMs) < maxMs ? durationMs : undefined
}

/** Truncates to nanoseconds and then to milliseconds, like Prometheus. */
function wholeMs(seconds: number): number {
  return Math.trunc(Math.trunc(seconds * 1e9) / 1e6)
}

function unitsMs(text: string): number | undefined {
  const counts = durationPattern.exec(text)?.slice(1)
  if (text === '' || !counts) return undefined
  return durationUnits.reduce((sum, [, unitMs], place) => sum + Number(counts[place] ?? 0) * unitMs, 0)
}
