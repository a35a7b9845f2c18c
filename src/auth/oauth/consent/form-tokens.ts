import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../clock.ts'
import type { AuthorizationRequest } from '../authorize.ts'

/**
 * Tokens in the form of the consent page, and in the cookie of a sign-in by a provider. Each contains the request it was made for,
 * signed, and is valid once and for ten minutes. The key and the list of used tokens live as long as the process.
 */
export type FormTokens<T = AuthorizationRequest> = {
  issue(request: T): string
  /** Returns undefined for a token that is forged, changed, too old or used, and while the list of used ones is full. */
  redeem(token: string): T | undefined
}

type Signed<T> = { id: string; untilMs: number; request: T }

const lifetimeMs = 600_000
const maxUsed = 100_000

export function createFormTokens<T = AuthorizationRequest>({ now }: Clock): FormTokens<T> {
  const key = randomBytes(32)
  const used = new Map<string, number>() // in the order of use, nearly the order of expiry
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()

  function pruneExpired() {
    for (const [id, untilMs] of used) {
      if (untilMs > now()) return
      used.delete(id)
    }
  }

  return {
    issue(request) {
      const signed: Signed<T> = { id: randomUUID(), untilMs: now() + lifetimeMs, request }
      const text = Buffer.from(JSON.stringify(signed)).toString('base64url')
      return `${text}.${sign(text).toString('base64url')}`
    },

    redeem(token) {
      const [text = '', signature = ''] = token.split('.')
      const signatureBytes = Buffer.from(signature, 'base64url')
      const expected = sign(text)
      if (signatureBytes.length !== expected.length || !timingSafeEqual(signatureBytes, expected)) return undefined
      const { id, untilMs, request }: Signed<T> = JSON.parse(Buffer.from(text, 'base64url').toString())
      pruneExpired()
      if (untilMs <= now() || used.has(id) || used.size >= maxUsed) return undefined
      used.set(id, untilMs)
      return request
    },
  }
}
