import { randomBytes } from 'node:crypto'
import { hashOpaqueToken } from '../sessions/tokens.ts'
import { encodeBase32 } from './totp.ts'

const count = 10

/**
 * Creates recovery codes such as `abcd-efgh-ijkl-mnop-qrst-uvwx`. Their 120 bits suffice for a hash without salt (OWASP ASVS 5.0,
 * 6.5.2).
 */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const text = encodeBase32(randomBytes(15)).toLowerCase()
    return text.match(/.{4}/g)?.join('-') ?? text
  })
}

/** Hash of a code, for storing. Ignores case, spaces and hyphens. */
export function hashRecoveryCode(code: string): string {
  return hashOpaqueToken(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}
