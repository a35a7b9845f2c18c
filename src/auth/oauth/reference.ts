import { type Fields, inForm, inQuery, jsonResponse, textResponse } from '../../http/openapi/by-hand.ts'
import { detailOf } from '../../http/openapi/operation.ts'
import { scopes } from './credential.ts'

// OpenAPI details of the OAuth routes, by hand: the routes read forms and answer in the shapes of their RFCs.

const texts = (description: string) => ({
  type: 'array' as const,
  description,
  items: { type: 'string' as const },
})
const integer = (description: string) => ({ type: 'integer' as const, description })
const oneOf = (description: string, ...values: string[]) => ({ type: 'string' as const, description, enum: values })

const client: Fields = {
  client_id: 'id of the client; omit it with HTTP Basic authentication',
  client_secret: 'secret of a confidential client; omit it with HTTP Basic authentication',
}
const token: Fields = { token: 'an access token or a refresh token', token_type_hint: 'accepted and ignored' }
const scope = '`read`, `write` or both, separated by a space'

const authorization: Fields = {
  response_type: oneOf('what is requested', 'code'),
  client_id: 'the client',
  redirect_uri: 'one of the redirect URIs that the client is registered with',
  code_challenge: 'base64url of the SHA-256 of the code verifier (RFC 7636)',
  code_challenge_method: oneOf('method of the challenge', 'S256'),
  scope: '`read`, `write` or both, separated by a space; default `read`',
  state: 'returned unchanged with the response',
  response_mode: oneOf('place of the response: the query of the redirect URI', 'query'),
}

const html = (description: string) => textResponse(description, 'text/html')
const toApplication = {
  description: 'Redirect to the application, with a code or an error (RFC 6749, 4.1.2)',
  headers: { Location: { schema: { type: 'string' as const } } },
}
const errorResponse = (description: string) =>
  jsonResponse(description, { error: 'error code of RFC 6749, 5.2', error_description: 'the error as a sentence' })
const errorResponses = {
  400: errorResponse('The request, the grant or the scope is invalid'),
  401: errorResponse('The client is unknown, or its secret is wrong or missing'),
  408: errorResponse('The form did not arrive completely within 30 seconds'),
  413: errorResponse('The form is larger than 64 KiB'),
  415: errorResponse('The body is not a form'),
}
const errorPage = html('A page with the error. It does not redirect')

export const reference = {
  metadata: detailOf('getOAuthMetadata', 'Get the endpoints and the supported methods (RFC 8414)', {
    description:
      'The discovery document of RFC 8414: a client finds endpoints, scopes and methods there. `issuer` is ' +
      'PUBLIC_URL.',
    200: jsonResponse(
      'The metadata',
      {
        issuer: 'the public URL of this instance',
        authorization_endpoint: 'page to which the application redirects the browser',
        token_endpoint: 'endpoint that exchanges a code or a refresh token for tokens',
        revocation_endpoint: 'endpoint that ends a grant',
        introspection_endpoint: 'endpoint that tells a client if its token is valid',
        scopes_supported: texts('`read` and `write`'),
        response_types_supported: texts('only `code`'),
        response_modes_supported: texts('only `query`'),
        grant_types_supported: texts('`authorization_code` and `refresh_token`'),
        token_endpoint_auth_methods_supported: texts(
          '`none` for a client without a secret; the others for a confidential client',
        ),
        revocation_endpoint_auth_methods_supported: texts('as at the token endpoint'),
        introspection_endpoint_auth_methods_supported: texts('methods of a confidential client'),
        code_challenge_methods_supported: texts('only `S256`'),
        authorization_response_iss_parameter_supported: { type: 'boolean', description: 'true (RFC 9207)' },
      },
      { example: metadataOf('https://nines.example') },
    ),
  }),
  style: detailOf('getConsentStyle', 'Get the style sheet of the consent page', {
    description:
      'CSS for the consent page, the page on which recipients of mail accept or decline, and the error page of a sign-in by a provider. ' +
      'These pages load nothing else. It may be cached for an hour.',
    200: textResponse('CSS', 'text/css'),
  }),
  show: {
    ...detailOf('askConsent', 'Show the page on which a user signs in and allows an application to act for them', {
      description:
        'The answer is a page for a browser. Every client must use PKCE with `S256`, and each request must name one of its ' +
        'redirect URIs. Errors of the client or the redirect URI are shown on the page; all others go to the application.',
      200: html('The page'),
      303: toApplication,
      400: errorPage,
    }),
    ...inQuery(authorization, [
      'response_type',
      'client_id',
      'redirect_uri',
      'code_challenge',
      'code_challenge_method',
    ]),
  },
  decide: {
    ...detailOf('giveConsent', 'Submit the decision of the user on the consent page', {
      description:
        'The answer is a page for a browser. The form of the consent page: a user of the client’s organization signs in and ' +
        'allows, or denies. A code is valid once, for a minute. A user with a second factor gets the form again, with `mfa_token` ' +
        'and a field for the code. Failed sign-ins count as at `/auth/login`.',
      200: html('The page'),
      303: toApplication,
      400: errorPage,
      401: html('The page again: e-mail, password or code is wrong'),
      403: html(
        'The page again: the user is not of the organization of the application, or has to set up a second factor',
      ),
      408: errorPage,
      413: errorPage,
      415: errorPage,
      429: html('The page again: too many attempts to sign in'),
    }),
    ...inForm(
      {
        request: 'hidden field of the page, signed by nines',
        decision: oneOf('decision of the user', 'allow', 'deny'),
        email: 'e-mail address of the user, to allow',
        password: 'password of the user, to allow',
        mfa_token: 'hidden field of the page with the field for a code',
        code: 'code of the authenticator app, or a recovery code',
      },
      ['request', 'decision'],
      { request: 'gT5…', decision: 'deny' },
    ),
  },
  exchange: {
    ...detailOf('exchangeOAuthToken', 'Exchange a code or a refresh token for tokens (RFC 6749, 4.1.3 and 6)', {
      description:
        'An access token is valid for an hour, a refresh token once within 30 days. If a code or refresh token is sent ' +
        'twice, all tokens of its grant end. A confidential client authenticates with HTTP Basic or `client_secret`. Every ' +
        'client sends the `code_verifier` of its code.',
      200: jsonResponse('The tokens', {
        access_token: 'token for the header `Authorization: Bearer`',
        token_type: oneOf('type of the access token', 'Bearer'),
        expires_in: integer('seconds until the access token expires'),
        refresh_token: 'valid once',
        scope,
      }),
      ...errorResponses,
    }),
    ...inForm(
      {
        ...client,
        grant_type: oneOf('kind of grant that is exchanged', 'authorization_code', 'refresh_token'),
        code: 'the authorization code',
        redirect_uri: 'the redirect URI the code was sent to',
        code_verifier: 'text from which the code challenge was computed',
        refresh_token: 'the refresh token',
        scope: 'scope of the new tokens, at most that of the refresh token',
      },
      ['grant_type'],
      {
        grant_type: 'authorization_code',
        client_id: 'a3f1',
        code: 'Zb9…',
        redirect_uri: 'https://app.example/callback',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    ),
  },
  revoke: {
    ...detailOf('revokeOAuthToken', 'End a grant by one of its tokens (RFC 7009)', {
      description:
        'Ends the access token and the refresh token of the grant. The answer is also 200 for an unknown token, and 400 for a ' +
        'token of another client.',
      200: { description: 'The grant is ended, or the token is unknown' },
      ...errorResponses,
    }),
    ...inForm({ ...client, ...token }, ['token'], { client_id: 'a3f1', token: 'Zb9…' }),
  },
  introspect: {
    ...detailOf('introspectOAuthToken', 'Check if a token of the client is valid (RFC 7662)', {
      description:
        'For confidential clients. The answer for a token of another client is that of an invalid token: only `active`, false.',
      200: jsonResponse(
        'State of the token',
        {
          active: { type: 'boolean', description: 'true if the token is valid; false: the answer has no other field' },
          scope,
          client_id: 'the client',
          username: 'e-mail address of the user',
          token_type: '`Bearer`; absent for a refresh token',
          exp: integer('expiry, in Unix seconds'),
          iat: integer('time of issue, in Unix seconds'),
          sub: 'the user id',
          iss: 'the issuer',
        },
        { required: ['active'] },
      ),
      ...errorResponses,
    }),
    ...inForm({ ...client, ...token }, ['token'], { client_id: 'a3f1', client_secret: 's3cret', token: 'Zb9…' }),
  },
}

/** The discovery document of an issuer: RFC 8414, 2. */
export function metadataOf(issuer: string) {
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
