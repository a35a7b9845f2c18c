import { codeOf } from '../../src/auth/second-factor/totp.ts'
import { login, usualPassword } from './accounts.ts'
import type { Answer, TestApp } from './app.ts'

/** Second factor of an account: its secret and recovery codes. */
export type Factor = { secret: string; recoveryCodes: string[] }

/** Code that an app shows. `steps`: as many times 30 seconds later. */
export function codeNow(nines: TestApp, { secret }: Pick<Factor, 'secret'>, steps = 0): string {
  return codeOf(secret, Math.floor(nines.clock.now() / 30_000) + steps)
}

/** Sets up a second factor for the account of a token; half a minute passes, so that the next code is good. */
export async function setUpFactor(nines: TestApp, token = nines.token()): Promise<Factor> {
  const path = '/api/v1/auth/second-factor'
  const begun = await nines.call('POST', path, { password: usualPassword }, { token })
  if (begun.status !== 200) throw new Error(begun.text)
  const { secret } = begun.body
  const confirmed = await nines.call('POST', `${path}/confirm`, { code: codeNow(nines, { secret }) }, { token })
  if (confirmed.status !== 200) throw new Error(confirmed.text)
  nines.clock.advance(30_000)
  return { secret, recoveryCodes: confirmed.body.recovery_codes }
}

/** First step of a sign-in; returns the token of the second. */
export async function challengeOf(nines: TestApp, name = 'ada'): Promise<string> {
  const { status, body } = await login(nines, name)
  if (status !== 401 || body.code !== 'mfa_required') throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.mfa_token
}

type Proof = { code?: string; recovery_code?: string | undefined }

/** Second step of a sign-in. */
export function secondStep(nines: TestApp, mfa_token: string, proof: Proof): Promise<Answer> {
  return nines.call('POST', '/api/v1/auth/login/mfa', { mfa_token, ...proof }, { token: null })
}

/** Second steps to the socket at `base`, of clients with these addresses behind a trusted proxy. */
export function secondStepsAt(base: string) {
  return async (ip: string, mfa_token: string, proof: Proof): Promise<Omit<Answer, 'text'>> => {
    const response = await fetch(`${base}/api/v1/auth/login/mfa`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify({ mfa_token, ...proof }),
    })
    const { status, headers } = response
    return { status, headers, body: await response.json() }
  }
}
