import type { Schemas } from '../../../../../../dist/openapi.d.ts'
import { certificatesOf, type CertificatesDraft, draftOfCertificates } from '../../../ui/form/certificates.ts'
import { linesOf, readLines } from './lines.ts'

export type Auth = Schemas['DataSource']['auth']

/** Credentials in the form. */
export type AuthDraft = CertificatesDraft & {
  kind: 'none' | 'basic' | 'bearer'
  username: string
  password: string
  token: string
  headers: string
}

/** Credentials for the form, from the API. Secrets are masked there; sending a mask back keeps the stored secret. */
export function draftOfAuth(auth: Auth): AuthDraft {
  return {
    kind: auth?.basic ? 'basic' : auth?.bearer ? 'bearer' : 'none',
    username: auth?.basic?.username ?? '',
    password: auth?.basic?.password ?? '',
    token: auth?.bearer?.token ?? '',
    headers: linesOf((auth?.headers ?? {}) as Record<string, string>, ':'),
    ...draftOfCertificates(auth?.tls),
  }
}

/** Credentials for a request; null for none. Throws `FieldProblem` for an invalid header line. */
export function authOf({ kind, username, password, token, headers, ...certificates }: AuthDraft): object | null {
  const sent = readLines(headers, ':', 'auth.headers')
  const hasHeaders = Object.keys(sent).length > 0
  const tls = certificatesOf(certificates)
  if (kind === 'none' && !hasHeaders && !tls) return null
  return {
    ...(kind === 'basic' && { basic: { username, password } }),
    ...(kind === 'bearer' && { bearer: { token } }),
    ...(hasHeaders && { headers: sent }),
    ...(tls && { tls }),
  }
}
