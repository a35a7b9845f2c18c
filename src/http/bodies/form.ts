import { AppError } from '../../errors.ts'
import { isOwnOrigin } from '../headers/cross-origin.ts'
import { assertType, badBody, type BodyBounds, readText } from './body.ts'

/** Form fields, each given once and not empty. */
export type Form = ReadonlyMap<string, string>

/**
 * Throws `invalid` if a page of another origin made the browser send the form. Checks `Sec-Fetch-Site`; older browsers and
 * plain http send only `Origin`. A client that sends neither header is not a browser, so no page can make it send a form.
 */
export function assertOwnForm({ headers }: Request, publicUrl: string): void {
  const site = headers.get('sec-fetch-site')
  if (site === null ? isOwnOrigin(headers, publicUrl) : site === 'same-origin') return
  throw new AppError('invalid', 'This link cannot be used', { details: 'The form was sent by another site' })
}

/** Bound for a form, which has a few short fields. */
const maxBytes = 16_384

/** Reads a body of `application/x-www-form-urlencoded`. Throws the errors of `readJson`, and `invalid` for a repeated field. */
export async function readForm(request: Request, bounds: BodyBounds): Promise<Form> {
  assertType(request, 'application/x-www-form-urlencoded')
  const limitBytes = Math.min(bounds.limitBytes, maxBytes)
  const text = request.body ? await readText(request.body, { ...bounds, limitBytes }) : ''
  return readFields(new URLSearchParams(text))
}

/** Fields of a query string, each given once. An empty value counts as absent: RFC 6749, 3.1 and 3.2. */
export function readFields(params: URLSearchParams): Form {
  const fields = new Map<string, string>()
  const names = new Set<string>()
  for (const [name, value] of params) {
    if (names.has(name)) throw badBody('must have each field once')
    names.add(name)
    if (value !== '') fields.set(name, value)
  }
  return fields
}
