import { createHash, randomBytes } from 'node:crypto'
import type { TestApp } from './app.ts'
import { newOrganizationUser, type Person } from './people.ts'
import { preparedApp } from './prepared-app.ts'

export type Client = { client_id: string; client_secret?: string }
export type Fields = Record<string, string | undefined>

/** `body`: the parsed JSON; undefined for other content types. */
// oxlint-disable-next-line typescript/no-explicit-any -- an answer is assessed by what a test expects of it
export type Reply = { status: number; headers: Headers; text: string; body: any; location: URL | null }

export const callback = 'https://app.example/callback?from=nines'
export const verifier = randomBytes(32).toString('base64url')
export const challenge = createHash('sha256').update(verifier).digest('base64url')

/** Calls nines over a socket, as an OAuth application and its user's browser do. */
export type OAuthWorld = TestApp & {
  base: string
  /** Administrator of the first organization. */
  ada: Person
  /** Registers an application in the organization of `token`; absent: of ada. */
  client(more?: object, token?: string): Promise<Client>
  get(path: string, query?: URLSearchParams | Fields): Promise<Reply>
  /** Sends a form; fields that are `undefined` are left out. */
  post(path: string, fields: Fields | URLSearchParams, headers?: Record<string, string>): Promise<Reply>
  /** Opens the consent page and returns the token of its form. */
  formToken(client: Client, change?: Fields): Promise<string>
  /** Consents as ada or as the user `as`, and returns the authorization code. */
  consent(client: Client, change?: Fields, as?: string): Promise<string>
  /** Redeems a code; `change` replaces fields of the request. */
  redeem(client: Client, code: string, change?: Fields): Promise<Reply>
  refresh(client: Client, refreshToken: string, change?: Fields): Promise<Reply>
  /** GET of the calling user with a bearer token. */
  me(token: string): Promise<Reply>
}

export function question({ client_id }: Client, change: Fields = {}): URLSearchParams {
  return params({
    response_type: 'code',
    client_id,
    redirect_uri: callback,
    scope: 'read write',
    state: 'a state & more',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...change,
  })
}

export const passwordOf = { password: 'correct horse', decision: 'allow' }

export async function oauthWorld(): Promise<OAuthWorld> {
  const settings = { env: { PUBLIC_URL: 'https://nines.example' } }
  const { nines, result: ada } = await preparedApp('oauth', settings, (app) => newOrganizationUser(app, 'ada'))
  const base = nines.listen()

  async function send(path: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(`${base}${path}`, { redirect: 'manual', ...init })
    const text = await response.text()
    const location = response.headers.get('location')
    const { status, headers } = response
    const isJson = headers.get('content-type')?.startsWith('application/json')
    return {
      status,
      headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      location: location ? new URL(location) : null,
    }
  }

  const world: OAuthWorld = {
    ...nines,
    base,
    ada,
    async client(more = {}, token) {
      const wanted = { name: 'Reporter', redirect_uris: [callback], ...more }
      const { body } = await nines.call('POST', '/api/v1/oauth/clients', wanted, token === undefined ? {} : { token })
      return body
    },
    get: (path, query) => send(query ? `${path}?${query instanceof URLSearchParams ? query : params(query)}` : path),
    post: (path, fields, headers = {}) =>
      send(path, { method: 'POST', body: fields instanceof URLSearchParams ? fields : params(fields), headers }),
    async formToken(client, change) {
      const { text } = await world.get('/oauth/authorize', question(client, change))
      return /name="request" value="([^"]+)"/.exec(text)?.[1] ?? ''
    },
    async consent(client, change, as = 'ada') {
      const request = await world.formToken(client, change)
      const reply = await world.post('/oauth/authorize', { request, email: `${as}@example.com`, ...passwordOf })
      return reply.location?.searchParams.get('code') ?? ''
    },
    redeem: (client, code, change = {}) =>
      world.post('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        code_verifier: verifier,
        client_id: client.client_id,
        client_secret: client.client_secret,
        ...change,
      }),
    refresh: (client, refreshToken, change = {}) =>
      world.post('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: client.client_id,
        client_secret: client.client_secret,
        ...change,
      }),
    me: (token) => send('/api/v1/auth/me', { headers: { authorization: `Bearer ${token}` } }),
  }
  return world
}

function params(fields: Fields): URLSearchParams {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(given)
}
