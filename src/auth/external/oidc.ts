import * as client from 'openid-client'
import { type Clock, hourMs, systemClock } from '../../clock.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { Log } from '../../log.ts'
import { callbackPath } from './callback-path.ts'
import { claimAt, type Claims } from './claims.ts'
import { describe, problemOf } from './problem-of.ts'

/** State of a sign-in between the two visits of a browser. `next`: path of the page to open after it. */
export type Flow = { state: string; nonce: string; verifier: string; next: string }

/** Person whom the provider has authenticated. `claims`: of the ID token, and of the userinfo endpoint if it was queried. */
export type Authenticated = { issuer: string; subject: string; claims: Claims; idToken: string }

/**
 * Result of checking the provider. `problem` null: it answers, with its keys. `endpoints`: endpoints in its discovery document, by
 * their names.
 */
export type ProviderCheck = { problem: string | null; endpoints: Record<string, string> }

/**
 * The OpenID provider. It is contacted only when somebody signs in, signs out or checks it, so that nines starts and works without it. `begin` and `finish`
 * throw `unavailable` if the provider does not answer, and `forbidden` for an answer that must not be trusted.
 */
export type Oidc = {
  /** Begins a sign-in. `url`: address to which the browser is redirected; the caller keeps `flow` for `finish`. */
  begin(next: string): Promise<{ url: URL; flow: Flow }>
  /** Ends a sign-in. `query`: parameters with which the provider redirected the browser back. */
  finish(query: URLSearchParams, flow: Flow): Promise<Authenticated>
  /** Address at which a person signs out at the provider too; null if it has none or does not answer. */
  logoutUrl(idToken: string): Promise<string | null>
  /** Reads the discovery document and the keys again. */
  check(): Promise<ProviderCheck>
}

export type OidcDeps = {
  config: Pick<Config, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcName' | 'oidcScopes' | 'oidcRoleClaim'>
  outbound: Pick<Outbound, 'fetch'>
  clock: Clock
  log: Log
  publicUrl: () => string
}

const timeoutSeconds = 10
const maxBytes = 1024 * 1024
/** Tolerated difference between the clocks of the provider and nines; the library tolerates the same for `exp`. */
const toleranceSeconds = 30
/** Age at which the discovery document is read again. If that fails, the one read before is still used. */
const discoveryLifetimeMs = hourMs
/** Maximum length of an ID token in a URL. */
const maxHintLength = 4000

/** `openOidc` loads this file and what it imports once somebody signs in: most instances have no provider. */
export function createOidc({ config, outbound, clock, log, publicUrl }: OidcDeps): Oidc {
  const { oidcClientSecret: secret, oidcName: name } = config
  const issuer = config.oidcIssuer ?? ''
  const clientId = config.oidcClientId ?? ''
  const issuerUrl = new URL(issuer)
  const isPlainHttp = issuerUrl.protocol === 'http:'
  const sharedReads = createSingleFlight<client.ServerMetadata>()
  let cached: { metadata: client.ServerMetadata; readAtMs: number } | undefined

  const fetchOutside: client.CustomFetch = async (url, { method, headers, body, signal }) => {
    const answer = await outbound.fetch(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      ...(signal && { signal }),
      maxBytes,
      allowPrivate: true,
    })
    const responseHeaders = new Headers(answer.headers)
    responseHeaders.delete('content-encoding') // the body is unpacked
    const isEmpty = [204, 205, 304].includes(answer.status)
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: responseHeaders })
  }

  async function readMetadata(): Promise<client.ServerMetadata> {
    const found = await client.discovery(issuerUrl, clientId, undefined, undefined, {
      timeout: timeoutSeconds,
      [client.customFetch]: fetchOutside,
      execute: isPlainHttp ? [client.allowInsecureRequests] : [],
    })
    const metadata = found.serverMetadata()
    if (new URL(metadata.issuer).href !== issuerUrl.href) {
      throw new Error(`the discovery document names the issuer ${metadata.issuer}, not OIDC_ISSUER`)
    }
    cached = { metadata, readAtMs: clock.now() }
    return metadata
  }

  async function metadataOf(): Promise<client.ServerMetadata> {
    if (cached && clock.now() - cached.readAtMs < discoveryLifetimeMs) return cached.metadata
    try {
      return await sharedReads.join('discovery', readMetadata)
    } catch (error) {
      log.warn('discovery of the OpenID provider failed', { issuer, problem: problemOf(error), cached: !!cached })
      if (cached) return cached.metadata
      throw providerUnavailable(name, error)
    }
  }

  /**
   * Creates the configuration for one sign-in. It is not reused, so that the keys of the provider, which may change, are read
   * again.
   */
  async function configurationOf(): Promise<client.Configuration> {
    const metadata = await metadataOf()
    const configuration = new client.Configuration(metadata, clientId, undefined, authenticationOf(metadata, secret))
    configuration.timeout = timeoutSeconds
    configuration[client.customFetch] = fetchOutside
    if (isPlainHttp) client.allowInsecureRequests(configuration)
    client.enableNonRepudiationChecks(configuration) // the signature of the ID token is checked too
    return configuration
  }

  /** Adds the claims of the userinfo endpoint where the ID token lacks some: many providers keep it short. */
  async function claimsOf(
    configuration: client.Configuration,
    accessToken: string,
    own: client.IDToken,
  ): Promise<Claims> {
    const isComplete =
      own['email'] !== undefined &&
      own['email_verified'] !== undefined &&
      claimAt(own, config.oidcRoleClaim) !== undefined
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return own
    const more = await client.fetchUserInfo(configuration, accessToken, own.sub)
    // `email_verified` says nothing about the e-mail of another source: both are taken from userinfo, or both from the ID token
    const { email, email_verified, ...others } = own
    const isVerifiedThere = email === undefined || (email_verified === undefined && more.email === email)
    return { ...more, ...others, ...(!isVerifiedThere && { email, email_verified }) }
  }

  return {
    async begin(next) {
      const configuration = await configurationOf()
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        next,
      }
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: `${publicUrl()}${callbackPath}`,
        scope: config.oidcScopes,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      })
      return { url, flow }
    },

    async finish(query, flow) {
      const configuration = await configurationOf()
      const url = new URL(`${publicUrl()}${callbackPath}?${query}`)
      const checks = { expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier }
      try {
        const answer = await client.authorizationCodeGrant(configuration, url, { ...checks, idTokenExpected: true })
        const own = answer.claims()
        if (!own || answer.id_token === undefined) throw new Error('the provider sent no ID token')
        assertUsable(own)
        const claims = await claimsOf(configuration, answer.access_token, own)
        return { issuer, subject: own.sub, claims, idToken: answer.id_token }
      } catch (error) {
        if (isUnavailable(error)) throw providerUnavailable(name, error)
        throw untrusted(name, error)
      }
    },

    async logoutUrl(idToken) {
      try {
        const configuration = await configurationOf()
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null
        return client.buildEndSessionUrl(configuration, {
          post_logout_redirect_uri: `${publicUrl()}/login`,
          ...(idToken.length <= maxHintLength && { id_token_hint: idToken }),
        }).href
      } catch {
        return null // signing out here does not depend on the provider
      }
    },

    async check() {
      try {
        const metadata = await readMetadata()
        const endpoints = Object.entries(metadata).filter(([key]) => /(?:_endpoint|_uri)$/.test(key))
        const keys = await fetchOutside(metadata.jwks_uri ?? '', {
          method: 'GET',
          headers: {},
          body: undefined,
          redirect: 'manual',
        })
        const problem = keys.ok ? null : `the keys of the provider cannot be read: HTTP status ${keys.status}`
        return { problem, endpoints: Object.fromEntries(endpoints.map(([key, value]) => [key, String(value)])) }
      } catch (error) {
        return { problem: problemOf(error), endpoints: {} }
      }
    },
  }
}

/** Throws for what the library lets pass. Reads the system clock, as the library does for `exp`. */
function assertUsable({ sub, iat }: client.IDToken): void {
  if (sub.trim() === '') throw new Error('the claim sub of the ID token is empty')
  const aheadSeconds = iat - Math.floor(systemClock.now() / 1000)
  if (aheadSeconds > toleranceSeconds) throw new Error(`the iat of the ID token is ${aheadSeconds} s in the future`)
}

/** Client authentication: HTTP Basic, the default of OpenID, unless the provider lists only other methods. */
function authenticationOf(metadata: client.ServerMetadata, secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic') ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
}

/** True if the provider did not answer, or answered with a status from 500 on. */
function isUnavailable(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof OutboundError || one.name === 'TimeoutError') return true
    if (one.cause instanceof Response && one.cause.status >= 500) return true
  }
  return false
}

function providerUnavailable(name: string, cause: unknown): AppError {
  return new AppError('unavailable', `${name} does not answer`, {
    details: 'try again in a few minutes; if it stays so, ask the administrator of nines to look at its log',
    cause,
  })
}

function untrusted(name: string, cause: unknown): AppError {
  const isDenied = cause instanceof client.AuthorizationResponseError
  const details = isDenied
    ? `it answered ${describe(cause)}; ask its administrator whether you may use nines`
    : 'start again; if it stays so, ask the administrator of nines to look at its log'
  return new AppError('forbidden', `Signing in with ${name} failed`, { details, cause })
}
