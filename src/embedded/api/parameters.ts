import { AppError } from '../../errors.ts'
import { type BodyBounds, readText } from '../../http/bodies/body.ts'
import { badParameter } from './bad-data.ts'
import { readDuration, readTime } from './times.ts'

/** What a request to the API asks with; where a name comes twice, the first counts. */
export type Parameters = URLSearchParams

/** A request to the API; its signal says that nobody waits for the answer any more. */
export type Question = { organizationId: number; parameters: Parameters; request: { signal: AbortSignal } }

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

/** How many of something are asked for; 0: all. Throws for what is no number. */
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
