import { createHmac } from 'node:crypto'

/** JWT secret of an instance for which tests forge tokens. */
export const secret = 'a secret of at least thirty-two bytes'

export type Claims = Record<string, unknown>

/** Creates a JWT with any header and any claims (an object or raw text), signed by `sign`, HS256 by default. */
export function forge(claims: unknown, header: object = {}, sign: (text: string) => string = hmac('sha256', secret)) {
  const text = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`
  return `${text}.${sign(text)}`
}

export const hmac = (hash: string, key: string | Buffer) => (text: string) =>
  createHmac(hash, key).update(text).digest('base64url')

export function encode(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
}

/** Claims of a token, without verifying it. */
export function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
