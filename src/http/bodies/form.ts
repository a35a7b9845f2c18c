import { AppError } from '../../errors.ts'
import { isOwnOrigin } from '../headers/own-origin.ts'
import { assertType, badBody, type BodyBounds, readText } from './body.ts'

/** The fields of a form, each given once and not empty. */
export type Form = ReadonlyMap<string, string>

/**
 * Throws `invalid` where the browser says that a page of another origin made it send the form: by `Sec-Fetch-Site`, or by
 * `Origin` where it is an older one or nines is reached by plain http. A client that says neither is none that a page can use.
 */
export function assertOwnForm({ headers }: Request, publicUrl: string): void {
  const site = headers.get('sec-fetch-site')
  if (site === null ? isOwnOrigin(headers, publicUrl) : site === 'same-origin') return
  throw new AppError('invalid', 'This link cannot be used', { details: 'The form was sent by another site' })
}

/** Forms are of a few short fields. */
const maxBytes = 16_384

/** Reads a body of `application/x-www-form-urlencoded`; throws the errors of `readJson`, and `invalid` for a field given twice. */
export async function readForm(request: Request, bounds: BodyBounds): Promise<Form> {
  assertType(request, 'application/x-www-form-urlencoded')
  const limitBytes = Math.min(bounds.limitBytes, maxBytes)
  const text = request.body ? await readText(request.body, { ...bounds, limitBytes }) : ''
  return readFields(new URLSearchParams(text))
}

/** The same of a query string. An empty value counts as none: RFC 6749, 3.1 and 3.2. */
export function readFields(params: URLSearchParams): Form {
  const fields = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of params) {
    if (seen.has(name)) throw badBody('must have each field once')
    seen.add(name)
    if (value !== '') fields.set(name, value)
  }
  return fields
}
