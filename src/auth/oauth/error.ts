/** The errors of RFC 6749, sections 4.1.2.1 and 5.2. */
type OAuthErrorKind =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'

/** Error in an application's request. The description is ASCII without quotes and repeats nothing of the request. */
export class OAuthError extends Error {
  readonly kind: OAuthErrorKind

  constructor(kind: OAuthErrorKind, description: string) {
    super(description)
    this.name = 'OAuthError'
    this.kind = kind
  }
}

/** Returns a field of `form`; throws `invalid_request` if it is missing. */
export function requiredField(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required`)
  return value
}
