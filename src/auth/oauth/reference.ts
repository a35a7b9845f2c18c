/** What the reference says of the routes of OAuth: they read forms and answer in the shapes of their RFCs by themselves. */

type Fields = Record<string, { type: 'string' | 'boolean' | 'integer'; description: string; enum?: string[] }>

const text = (description: string) => ({ type: 'string' as const, description })
const yesOrNo = (description: string) => ({ type: 'boolean' as const, description })
const whole = (description: string) => ({ type: 'integer' as const, description })

const client: Fields = {
  client_id: text('the client; absent where HTTP Basic says it'),
  client_secret: text('its secret, if it has one; absent where HTTP Basic says it'),
}
const token = { token: text('an access token or a refresh token'), token_type_hint: text('not needed') }

const scopes = text('`read`, `write` or both')
const asked: Fields = {
  response_type: { ...text('what is wanted'), enum: ['code'] },
  client_id: text('the client'),
  redirect_uri: text('one of those the client is registered with'),
  code_challenge: text('base64url of the SHA-256 of the code verifier (RFC 7636)'),
  code_challenge_method: { ...text('how the challenge was made'), enum: ['S256'] },
  scope: text('`read`, `write` or both; `read` where it is absent'),
  state: text('comes back with the answer'),
  response_mode: { ...text('how the answer is sent'), enum: ['query'] },
}
const obligatory = new Set(['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'])

const form = (fields: Fields, required: string[], example: Record<string, string>) => ({
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema: objectOf(fields, required), example } },
})

function objectOf(properties: Fields, required: string[]) {
  return { type: 'object' as const, properties, required }
}

const html = (description: string) => ({
  description,
  content: { 'text/html': { schema: { type: 'string' as const } } },
})
const css = { 'text/css': { schema: { type: 'string' as const } } }
const onward = {
  description: 'Onward to the application, with a code or an error (RFC 6749, 4.1.2)',
  headers: { Location: { schema: { type: 'string' as const } } },
}
const told = (description: string, properties: Fields, required: string[]) => ({
  description,
  content: { 'application/json': { schema: objectOf(properties, required) } },
})
const wrong = (description: string) =>
  told(description, { error: text('a word of RFC 6749, 5.2'), error_description: text('the same in a sentence') }, [
    'error',
    'error_description',
  ])
const wrongCalls = {
  400: wrong('The request, the grant or the scope is not good'),
  401: wrong('The client is unknown, or its secret is wrong or missing'),
  408: wrong('The form did not arrive whole within 30 seconds'),
  413: wrong('The form is larger than 64 KiB'),
  415: wrong('The body is not a form'),
}
const wrongPages = {
  400: html('A page that says what is wrong: nobody is sent anywhere'),
  401: html('The page again: e-mail or password is wrong'),
  403: html('The page again: the user is not of the organization of the application'),
  429: html('The page again: too many attempts to sign in'),
}

export const reference = {
  metadata: {
    operationId: 'getOAuthMetadata',
    summary: 'Where everything is, and what is supported (RFC 8414)',
    responses: { 200: told('The metadata', { issuer: text('the public URL of this instance') }, ['issuer']) },
  },
  style: {
    operationId: 'getConsentStyle',
    summary: 'The style of the pages below',
    responses: { 200: { description: 'CSS', content: css } },
  },
  ask: {
    operationId: 'askConsent',
    summary: 'The page on which a user signs in and allows an application to act for them',
    parameters: Object.entries(asked).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: obligatory.has(name),
      description,
      schema,
    })),
    responses: { 200: html('The page'), 303: onward, 400: wrongPages[400] },
  },
  decide: {
    operationId: 'giveConsent',
    summary: 'What the user has decided on that page',
    requestBody: form(
      {
        request: text('which page this answers'),
        decision: { ...text('what the user says'), enum: ['allow', 'deny'] },
        email: text('e-mail address of the user, to allow'),
        password: text('password of the user, to allow'),
      },
      ['request', 'decision'],
      { request: 'gT5…', decision: 'deny' },
    ),
    responses: {
      200: html('The page'),
      303: onward,
      ...wrongPages,
      408: wrongPages[400],
      413: wrongPages[400],
      415: wrongPages[400],
    },
  },
  exchange: {
    operationId: 'exchangeOAuthToken',
    summary: 'Exchange a code or a refresh token for tokens (RFC 6749, 4.1.3 and 6)',
    requestBody: form(
      {
        ...client,
        grant_type: { ...text('what is exchanged'), enum: ['authorization_code', 'refresh_token'] },
        code: text('the code'),
        redirect_uri: text('the redirect URI the code was sent to'),
        code_verifier: text('what the challenge was made of'),
        refresh_token: text('the refresh token'),
        scope: text('no more than before'),
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
    responses: {
      200: told(
        'The tokens',
        {
          access_token: text('for `Authorization: Bearer`'),
          token_type: { ...text('its kind'), enum: ['Bearer'] },
          expires_in: whole('seconds'),
          refresh_token: text('good once'),
          scope: scopes,
        },
        ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'],
      ),
      ...wrongCalls,
    },
  },
  revoke: {
    operationId: 'revokeOAuthToken',
    summary: 'End a grant by one of its tokens (RFC 7009)',
    requestBody: form({ ...client, ...token }, ['token'], { client_id: 'a3f1', token: 'Zb9…' }),
    responses: { 200: { description: 'It is ended, or there was none' }, ...wrongCalls },
  },
  introspect: {
    operationId: 'introspectOAuthToken',
    summary: 'Whether a token of one’s own is good (RFC 7662)',
    requestBody: form({ ...client, ...token }, ['token'], {
      client_id: 'a3f1',
      client_secret: 's3cret',
      token: 'Zb9…',
    }),
    responses: {
      200: told(
        'What it is good for',
        {
          active: yesOrNo('whether it is good; alone where it is not'),
          scope: scopes,
          client_id: text('the client'),
          username: text('e-mail address of the user'),
          token_type: text('`Bearer`, of an access token'),
          exp: whole('when it ends, in Unix seconds'),
          iat: whole('when it was given, in Unix seconds'),
          sub: text('the user id'),
          iss: text('the issuer'),
        },
        ['active'],
      ),
      ...wrongCalls,
    },
  },
}
