import { randomBytes } from 'node:crypto'
import { hashOpaqueToken } from '../sessions/tokens.ts'
import { encodeBase32 } from './totp.ts'

const count = 10

/** New recovery codes of 120 bits each, such as `abcd-efgh-ijkl-mnop-qrst-uvwx`: enough for a hash without salt (OWASP ASVS 5.0, 6.5.2). */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const text = encodeBase32(randomBytes(15)).toLowerCase()
    return text.match(/.{4}/g)?.join('-') ?? text
  })
}

/** Hash that is stored; the same with capitals, spaces or without hyphens. */
export function hashRecoveryCode(code: string): string {
  return hashOpaqueToken(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}
