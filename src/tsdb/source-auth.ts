import type { Seal } from '../db/seal.ts'
import { invalid } from '../errors.ts'
import type { SourceAuth } from './prometheus/client.ts'

/** Shown in place of every secret; sent back, it leaves the stored one as it is. */
export const mask = '********'

export function sealAuth(seal: Seal, auth: SourceAuth | null): string | null {
  return auth === null ? null : seal.close(JSON.stringify(auth))
}

export function openAuth(seal: Seal, sealed: string | null): SourceAuth | null {
  return sealed === null ? null : (JSON.parse(seal.open(sealed)) as SourceAuth)
}

/** The same shape with every secret masked. User names and header names are not secret. */
export function maskAuth(auth: SourceAuth | null): SourceAuth | null {
  return auth === null ? null : mapSecrets(auth, () => mask)
}

/** Puts the stored secrets where the caller sent masks back; throws `invalid` where there is none to put. */
export function unmaskAuth(given: SourceAuth | null, stored: SourceAuth | null): SourceAuth | null {
  if (given === null) return null
  return mapSecrets(given, (secret, path) => {
    if (secret !== mask) return secret
    const kept = stored === null ? undefined : secretAt(stored, path)
    if (kept === undefined) throw invalid(`auth.${path.join('.')}`, 'wanted the secret itself, none is stored')
    return kept
  })
}

/** Throws `invalid` for credentials that contradict each other. */
export function assertAuth(auth: SourceAuth | null): void {
  const headers = Object.keys(auth?.headers ?? {}).map((name) => name.toLowerCase())
  if (auth?.basic && auth.bearer) throw invalid('auth', 'wanted basic or bearer, not both')
  if ((auth?.basic || auth?.bearer) && headers.includes('authorization')) {
    throw invalid('auth.headers', 'wanted without Authorization beside basic or bearer')
  }
  const taken = headers.find((name) => reserved.has(name))
  if (taken) throw invalid('auth.headers', `wanted without ${taken}, which nines sets itself`)
}

const reserved = new Set([
  'host',
  'content-length',
  'content-type',
  'connection',
  'transfer-encoding',
  'accept-encoding',
])

type SecretPath = ['basic', 'password'] | ['bearer', 'token'] | ['headers', string]

function mapSecrets(auth: SourceAuth, change: (secret: string, path: SecretPath) => string): SourceAuth {
  const headers = Object.entries(auth.headers ?? {}).map(([name, value]) => [name, change(value, ['headers', name])])
  return {
    ...(auth.basic && { basic: { ...auth.basic, password: change(auth.basic.password, ['basic', 'password']) } }),
    ...(auth.bearer && { bearer: { token: change(auth.bearer.token, ['bearer', 'token']) } }),
    ...(auth.headers && { headers: Object.fromEntries(headers) }),
  }
}

function secretAt(auth: SourceAuth, [kind, name]: SecretPath): string | undefined {
  if (kind === 'basic') return auth.basic?.password
  if (kind === 'bearer') return auth.bearer?.token
  return Object.entries(auth.headers ?? {}).find(([stored]) => stored === name)?.[1]
}
