import { scopes } from './scopes.ts'

/** The discovery document: RFC 8414, 2. */
export function metadata(issuer: string) {
  const withSecret = ['client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none', ...withSecret],
    revocation_endpoint_auth_methods_supported: ['none', ...withSecret],
    introspection_endpoint_auth_methods_supported: withSecret,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}
