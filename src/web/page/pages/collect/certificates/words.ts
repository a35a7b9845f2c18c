import { formatDuration, formatMoment, list } from '../../../format.ts'
import type { Certificate } from '../types.ts'

/** Validity of a certificate in a sentence: `The certificate of shop.example expires in 5 d 3 h, on Thu 10:00.` */
export function validity({ names, expires_at }: Pick<Certificate, 'names' | 'expires_at'>, nowMs: number): string {
  const expiresMs = Date.parse(expires_at)
  const seconds = (expiresMs - nowMs) / 1000
  const [name] = names
  const when = formatMoment(expiresMs, nowMs)
  if (seconds <= 0) {
    const ago = formatDuration(-seconds)
    return name === undefined
      ? `The certificate expired ${ago} ago, on ${when}.`
      : `The certificate of ${name} expired ${ago} ago, on ${when}.`
  }
  const time = formatDuration(seconds)
  return name === undefined
    ? `The certificate expires in ${time}, on ${when}.`
    : `The certificate of ${name} expires in ${time}, on ${when}.`
}

/** Names and issuer of a certificate: `For shop.example and www.shop.example, issued by R11 (Let's Encrypt).` */
export function identity({ names, issuer }: Pick<Certificate, 'names' | 'issuer'>): string {
  return names.length === 0 ? `Issued by ${issuer}.` : `For ${list(names, 5)}, issued by ${issuer}.`
}

const kinds = { probe: 'check', source: 'source', channel: 'channel' } as const

/** Things that use a certificate: `Used by check Shop and channel On call.` */
export function users({ used_by }: Pick<Certificate, 'used_by'>): string {
  return `Used by ${list(
    used_by.map(({ kind, name }) => `${kinds[kind]} ${name}`),
    5,
  )}.`
}

/** Tone of a certificate; one that has expired since it was read is critical too. */
export function toneOf(
  { state, expires_at }: Pick<Certificate, 'state' | 'expires_at'>,
  nowMs: number,
): 'crit-text' | 'warning' | 'muted' {
  if (state === 'expired' || Date.parse(expires_at) <= nowMs) return 'crit-text'
  return state === 'expiring' ? 'warning' : 'muted'
}
