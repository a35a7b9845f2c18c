import type { Db } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { type Form, readFields } from '../../http/bodies/form.ts'
import { findOAuthClient, type ClientOfOrganization, redirectUrisOf } from './clients/store.ts'
import { OAuthError, requiredField } from './error.ts'
import { isRegistered, withResponseParameters } from './clients/redirect-uri.ts'
import { readScopes, type Scope } from './credential.ts'

/** Authorization request of an application: RFC 6749, 4.1.1, with the challenge of RFC 7636, 4.3. */
export type AuthorizationRequest = {
  clientId: string
  redirectUri: string
  state: string | null
  scopes: Scope[]
  codeChallenge: string
}

/** Either a request to show to the user, or a redirect that gives the application its error. */
type Checked = { client: ClientOfOrganization; authRequest: AuthorizationRequest } | { redirectTo: string }

/**
 * Reads an authorization request. If client and redirect URI do not belong together, throws `invalid` for the user to read and
 * redirects nobody (RFC 6749, 4.1.2.1).
 */
export async function readAuthorizationRequest(db: Db, query: URLSearchParams, issuer: string): Promise<Checked> {
  const client = await findOAuthClient(db, onlyValue(query, 'client_id'))
  if (!client) throw unusableLink('No application with this client_id is registered')
  const redirectUri = onlyValue(query, 'redirect_uri')
  if (!isRegistered(redirectUrisOf(client), redirectUri)) {
    throw unusableLink('This redirect_uri is not registered for the application')
  }
  const states = query.getAll('state')
  const state = (states.length === 1 && states[0]) || null
  try {
    return { client, authRequest: { clientId: client.id, redirectUri, state, ...readScopesAndChallenge(query) } }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { kind, message } = error
    return {
      redirectTo: withResponseParameters(redirectUri, { error: kind, error_description: message, state, iss: issuer }),
    }
  }
}

/** Redirect URL for a user who declined. */
export function denialUrl({ redirectUri, state }: AuthorizationRequest, issuer: string): string {
  const answer = { error: 'access_denied', error_description: 'the user said no' }
  return withResponseParameters(redirectUri, { ...answer, state, iss: issuer })
}

/** Error for a link or form that leads to no consent, shown to the user. */
export function unusableLink(reason: string): AppError {
  return new AppError('invalid', 'This link cannot be used', { details: reason })
}

function onlyValue(query: URLSearchParams, name: string): string {
  const [value, ...more] = query.getAll(name)
  if (!value || more.length > 0) throw unusableLink(`${name} must be given once`)
  return value
}

function readScopesAndChallenge(query: URLSearchParams): { scopes: Scope[]; codeChallenge: string } {
  const fields = fieldsOf(query)
  if (requiredField(fields, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
  }
  if ((fields.get('response_mode') ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query or absent')
  }
  const codeChallenge = requiredField(fields, 'code_challenge')
  if (fields.get('code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256')
  }
  if (!/^[\w-]{43}$/.test(codeChallenge)) {
    throw new OAuthError('invalid_request', 'code_challenge must be the base64url of a SHA-256')
  }
  const scopes = readScopes(fields.get('scope') ?? 'read')
  if (!scopes) throw new OAuthError('invalid_scope', 'scope must be read, write or both')
  return { scopes, codeChallenge }
}

function fieldsOf(query: URLSearchParams): Form {
  try {
    return readFields(query)
  } catch {
    throw new OAuthError('invalid_request', 'each parameter must be sent once')
  }
}
