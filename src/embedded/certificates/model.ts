import { type Static, t } from 'elysia'
import { certificateState, daysLeft, type ServerCertificate, type UsedCertificate } from '../../certificate.ts'
import { isoTime } from '../../clock.ts'
import { OneOf } from '../../http/schemas.ts'

/** Response fields of a certificate. */
export const certificateFields = {
  issuer: t.String({ description: 'who signed it: name and organization' }),
  names: t.Array(t.String(), { description: 'hosts it is for, at most 20' }),
  expires_at: t.String({ description: 'when the first certificate of its chain expires' }),
  days_left: t.Number({
    description: 'whole days that are left, for a probe as of its last run; negative: it has expired',
  }),
  state: OneOf(['valid', 'expiring', 'expired']),
  fingerprint: t.String({ description: 'SHA-256 of the certificate, in hex' }),
}

/** Values of the `certificateFields`, as they are at a time in Unix seconds. */
export function presentCertificate(certificate: ServerCertificate, nowSeconds: number) {
  const { issuer, names, expiresAt, fingerprint } = certificate
  return {
    issuer,
    names,
    expires_at: isoTime(expiresAt * 1000),
    days_left: daysLeft(certificate, nowSeconds),
    state: certificateState(certificate, nowSeconds),
    fingerprint,
  }
}

export const CertificateList = t.Object(
  {
    certificates: t.Array(
      t.Object(
        {
          ...certificateFields,
          server: t.String({ description: '`host:port` that has it' }),
          used_by: t.Array(t.Object({ kind: OneOf(['probe', 'source', 'channel']), id: t.Number(), name: t.String() })),
        },
        { title: 'Certificate' },
      ),
    ),
    total: t.Number(),
  },
  { title: 'CertificateList' },
)

export function presentUsed(
  certificate: UsedCertificate,
  nowSeconds: number,
): Static<typeof CertificateList>['certificates'][number] {
  return {
    ...presentCertificate(certificate, nowSeconds),
    server: certificate.server,
    used_by: certificate.usedBy,
  }
}
