/**
 * Certificate of a server. `fingerprint`: SHA-256 of the certificate itself, in hex; `names`: hosts it is for, at most 20;
 * `startsAt`, `expiresAt`: Unix seconds, of the certificate of its chain that expires first.
 */
export type ServerCertificate = {
  fingerprint: string
  issuer: string
  names: string[]
  startsAt: number
  expiresAt: number
}

/** Certificate as it was seen at a time, in Unix seconds. */
export type SeenCertificate = ServerCertificate & { seenAt: number }

/** Probe, source or channel that connects to the server of a certificate. */
export type CertificateUser = { kind: 'probe' | 'source' | 'channel'; id: number; name: string }

/** Certificate with all probes, sources and channels of one organization that see it. `server`: `host:port` of the first of them. */
export type UsedCertificate = SeenCertificate & { organizationId: number; server: string; usedBy: CertificateUser[] }

/** Days before the expiry at which an alert of a certificate fires, and at which it becomes more severe. */
export type CertificateStage = (typeof stages)[number]['days']

export const daySeconds = 86_400

/**
 * Stages in the order in which they begin. `share`: a stage begins at most this share of the certificate's lifetime before its end,
 * since a certificate of six days is renewed every few days, and must not be reported all its life.
 */
const stages = [
  { days: 21, share: 1 / 4 },
  { days: 7, share: 1 / 8 },
  { days: 1, share: 1 / 16 },
] as const

/** Days before the expiry at which the first alert may begin. */
export const maxStageDays = stages[0].days

type Lifetime = Pick<ServerCertificate, 'startsAt' | 'expiresAt'>

/** Time at which a stage of a certificate begins, in Unix seconds. */
export function stageBeginsAt({ startsAt, expiresAt }: Lifetime, stage: CertificateStage): number {
  const share = stages.find(({ days }) => days === stage)?.share ?? 0
  return expiresAt - Math.min(stage * daySeconds, share * Math.max(0, expiresAt - startsAt))
}

/** Stage of a certificate; null: none has begun. An expired certificate is in the last one. */
export function stageOf(certificate: Lifetime, nowSeconds: number): CertificateStage | null {
  return stages.findLast(({ days }) => nowSeconds >= stageBeginsAt(certificate, days))?.days ?? null
}

/** State of a certificate as the API gives it. */
export function certificateState(certificate: Lifetime, nowSeconds: number): 'valid' | 'expiring' | 'expired' {
  if (certificate.expiresAt <= nowSeconds) return 'expired'
  return stageOf(certificate, nowSeconds) === null ? 'valid' : 'expiring'
}

/** Whole days until the expiry; negative once it has passed. */
export function daysLeft({ expiresAt }: Pick<ServerCertificate, 'expiresAt'>, nowSeconds: number): number {
  return Math.floor((expiresAt - nowSeconds) / daySeconds)
}

/** Time until or since an expiry: `expires in 20 days`, `expires in 5 hours`, `expired 2 days ago`. */
export function expiryWords(expiresMs: number, nowMs: number): string {
  const isOver = expiresMs <= nowMs
  const seconds = Math.abs(expiresMs - nowMs) / 1000
  const [count, unit] =
    seconds >= daySeconds
      ? [isOver ? Math.floor(seconds / daySeconds) : daysLeft({ expiresAt: expiresMs / 1000 }, nowMs / 1000), 'day']
      : [Math.floor(seconds / 3600), 'hour']
  const span = count === 0 ? 'less than an hour' : `${count} ${unit}${count === 1 ? '' : 's'}`
  return isOver ? `expired ${span} ago` : `expires in ${span}`
}
