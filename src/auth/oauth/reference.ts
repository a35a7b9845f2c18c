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
  client_id: 'the client; absent where HTTP Basic says it',
  client_secret: 'its secret, if it has one; absent where HTTP Basic says it',
}
const token: Fields = { token: 'an access token or a refresh token', token_type_hint: 'not needed' }
const scope = '`read`, `write` or both'

const authorization: Fields = {
  response_type: oneOf('what is requested', 'code'),
  client_id: 'the client',
  redirect_uri: 'one of those the client is registered with',
  code_challenge: 'base64url of the SHA-256 of the code verifier (RFC 7636)',
  code_challenge_method: oneOf('how the challenge was made', 'S256'),
  scope: '`read`, `write` or both; `read` where it is absent',
  state: 'comes back with the response',
  response_mode: oneOf('how the response is sent', 'query'),
}

const html = (description: string) => textResponse(description, 'text/html')
const onward = {
  description: 'Onward to the application, with a code or an error (RFC 6749, 4.1.2)',
  headers: { Location: { schema: { type: 'string' as const } } },
}
const wrong = (description: string) =>
  jsonResponse(description, { error: 'a word of RFC 6749, 5.2', error_description: 'the same in a sentence' })
const wrongCalls = {
  400: wrong('The request, the grant or the scope is not good'),
  401: wrong('The client is unknown, or its secret is wrong or missing'),
  408: wrong('The form did not arrive whole within 30 seconds'),
  413: wrong('The form is larger than 64 KiB'),
  415: wrong('The body is not a form'),
}
const wrongLink = html('A page that says what is wrong: nobody is sent anywhere')

export const reference = {
  metadata: detailOf('getOAuthMetadata', 'Where everything is, and what is supported (RFC 8414)', {
    description:
      'The discovery document of RFC 8414: a client finds endpoints, scopes and methods there. `issuer` is ' +
      'PUBLIC_URL.',
    200: jsonResponse(
      'The metadata',
      {
        issuer: 'the public URL of this instance',
        authorization_endpoint: 'where a browser is sent',
        token_endpoint: 'where a code or a refresh token is exchanged',
        revocation_endpoint: 'where a grant is ended',
        introspection_endpoint: 'where a client asks about its own token',
        scopes_supported: texts('`read` and `write`'),
        response_types_supported: texts('`code` alone'),
        response_modes_supported: texts('`query` alone'),
        grant_types_supported: texts('`authorization_code` and `refresh_token`'),
        token_endpoint_auth_methods_supported: texts('`none` of a client without a secret'),
        revocation_endpoint_auth_methods_supported: texts('the same'),
        introspection_endpoint_auth_methods_supported: texts('those with a secret'),
        code_challenge_methods_supported: texts('`S256` alone'),
        authorization_response_iss_parameter_supported: { type: 'boolean', description: 'true (RFC 9207)' },
      },
      { example: metadataOf('https://nines.example') },
    ),
  }),
  style: detailOf('getConsentStyle', 'The style of the pages below', {
    description: 'CSS for the pages of consent and of recipients, which load nothing else. It may be kept for an hour.',
    200: textResponse('CSS', 'text/css'),
  }),
  show: {
    ...detailOf('askConsent', 'The page on which a user signs in and allows an application to act for them', {
      description:
        'Answers a person: HTML. PKCE with `S256` is required of every client, and each request names one of its ' +
        'redirect URIs. What is wrong with the client or the redirect URI is shown, anything else goes to the ' +
        'application as an error.',
      200: html('The page'),
      303: onward,
      400: wrongLink,
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
    ...detailOf('giveConsent', 'What the user has decided on that page', {
      description:
        'Answers a person: HTML. The form of that page: a user of the client’s organization signs in and allows, ' +
        'or denies. A code is good for a minute and once. A user with a second factor gets the form again, with `mfa_token` and a field for ' +
        'the code. Failed sign-ins count as at `/auth/login`.',
      200: html('The page'),
      303: onward,
      400: wrongLink,
      401: html('The page again: e-mail, password or code is wrong'),
      403: html(
        'The page again: the user is not of the organization of the application, or has to set up a second factor',
      ),
      408: wrongLink,
      413: wrongLink,
      415: wrongLink,
      429: html('The page again: too many attempts to sign in'),
    }),
    ...inForm(
      {
        request: 'which page this answers',
        decision: oneOf('what the user says', 'allow', 'deny'),
        email: 'e-mail address of the user, to allow',
        password: 'password of the user, to allow',
        mfa_token: 'of the page with the field for a code',
        code: 'code of the authenticator app, or a recovery code',
      },
      ['request', 'decision'],
      { request: 'gT5…', decision: 'deny' },
    ),
  },
  exchange: {
    ...detailOf('exchangeOAuthToken', 'Exchange a code or a refresh token for tokens (RFC 6749, 4.1.3 and 6)', {
      description:
        'An access token is good for an hour, a refresh token for 30 days and once. A code or refresh token that ' +
        'comes twice ends all tokens of its grant. A confidential client proves itself by HTTP Basic or ' +
        '`client_secret`, each by `code_verifier`.',
      200: jsonResponse('The tokens', {
        access_token: 'for `Authorization: Bearer`',
        token_type: oneOf('its kind', 'Bearer'),
        expires_in: integer('seconds'),
        refresh_token: 'good once',
        scope,
      }),
      ...wrongCalls,
    }),
    ...inForm(
      {
        ...client,
        grant_type: oneOf('what is exchanged', 'authorization_code', 'refresh_token'),
        code: 'the code',
        redirect_uri: 'the redirect URI the code was sent to',
        code_verifier: 'what the challenge was made of',
        refresh_token: 'the refresh token',
        scope: 'no more than before',
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
        'Ends the access token and the refresh token of the grant. An unknown token is answered with 200 as ' +
        'well, that of another client with 400.',
      200: { description: 'It is ended, or there was none' },
      ...wrongCalls,
    }),
    ...inForm({ ...client, ...token }, ['token'], { client_id: 'a3f1', token: 'Zb9…' }),
  },
  introspect: {
    ...detailOf('introspectOAuthToken', 'Whether a token of one’s own is good (RFC 7662)', {
      description:
        'For confidential clients. A token of another client is answered as one that is not active, with nothing ' +
        'else.',
      200: jsonResponse(
        'What it is good for',
        {
          active: { type: 'boolean', description: 'whether it is good; alone where it is not' },
          scope,
          client_id: 'the client',
          username: 'e-mail address of the user',
          token_type: '`Bearer`, of an access token',
          exp: integer('when it ends, in Unix seconds'),
          iat: integer('when it was given, in Unix seconds'),
          sub: 'the user id',
          iss: 'the issuer',
        },
        { required: ['active'] },
      ),
      ...wrongCalls,
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
