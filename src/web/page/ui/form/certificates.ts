/** Certificates in a form, as PEM texts; empty: none. */
export type CertificatesDraft = { ca: string; certificate: string; key: string }

type Sent = { ca?: string; certificate?: string; key?: string }

/** Certificates for a form, from the API. The key is masked there; sending the mask back keeps the stored key. */
export function draftOfCertificates(tls: Sent | null | undefined): CertificatesDraft {
  return { ca: tls?.ca ?? '', certificate: tls?.certificate ?? '', key: tls?.key ?? '' }
}

/** `tls` for a request; null for none. */
export function certificatesOf({ ca, certificate, key }: CertificatesDraft): Sent | null {
  const filled = Object.entries({ ca, certificate, key }).filter(([, pem]) => pem.trim() !== '')
  return filled.length === 0 ? null : Object.fromEntries(filled)
}

export const certificatesTitle = 'Certificates for HTTPS'

/** Fields for what nines trusts and shows in a connection with TLS. */
export const certificateFields = [
  {
    name: 'ca',
    kind: 'area',
    label: 'Authority',
    hint: 'Certificate of the authority that signed that of the server, if it is not one of the usual ones',
    placeholder: '-----BEGIN CERTIFICATE-----',
    isCode: true,
  },
  {
    name: 'certificate',
    kind: 'area',
    label: 'Certificate of nines',
    hint: 'For a server that asks for one',
    placeholder: '-----BEGIN CERTIFICATE-----',
    isCode: true,
  },
  {
    name: 'key',
    kind: 'area',
    label: 'Key of the certificate',
    hint: 'Without a passphrase. Stored encrypted and shown as asterisks',
    placeholder: '-----BEGIN PRIVATE KEY-----',
    isCode: true,
  },
] as const
