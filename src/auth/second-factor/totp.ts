import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Duration of a step: the time for which an app shows one code. */
const stepMs = 30_000
const digits = 6
/** Steps before and after the current one whose codes are accepted: the clock of a phone is not exact. */
const maxSkewSteps = 1
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new secret of 160 bits, in base32 (RFC 4648) without padding. */
export function newSecret(): string {
  return encodeBase32(randomBytes(20))
}

/** Code of a step: RFC 6238 with SHA-1, as RFC 4226, 5.3. `step`: number of 30-second steps since the epoch. */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 0xf) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** Step whose code this is: the current one, or one beside it; undefined if the code is none of theirs. */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const current = Math.floor(nowMs / stepMs)
  if (!/^\d{6}$/.test(code)) return undefined
  const sent = Buffer.from(code)
  let found: number | undefined
  for (let step = current - maxSkewSteps; step <= current + maxSkewSteps; step += 1) {
    if (step >= 0 && timingSafeEqual(Buffer.from(codeOf(secret, step)), sent)) found = step
  }
  return found
}

/** Address that an authenticator app reads from a QR code. */
export function otpauthUrl(secret: string, email: string): string {
  return `otpauth://totp/nines:${encodeURIComponent(email)}?secret=${secret}&issuer=nines&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`
}

/** Base32 of RFC 4648, without padding. */
export function encodeBase32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff
    bits += 8
    for (; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31]
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}

function decodeBase32(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const character of text) {
    value = ((value << 5) | alphabet.indexOf(character)) & 0xfff
    bits += 5
    if (bits >= 8) bytes.push((value >>> (bits -= 8)) & 0xff)
  }
  return Buffer.from(bytes)
}
