import { addressSet } from '../../cidr.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { peerOf, type Server } from '../../http/headers/origin.ts'
import type { Log } from '../../log.ts'
import { emailOf, nameOf } from './claims.ts'
import type { ExternalPerson } from './sign-in.ts'
import { proxyIssuer } from './store.ts'

type Settings = Pick<
  Config,
  'trustProxy' | 'trustedHeaderUser' | 'trustedHeaderEmail' | 'trustedHeaderName' | 'trustedHeaderGroups'
>

/** Reads who is signed in at a proxy. */
export type ProxyPersonReader = {
  /** Throws `unauthenticated` without the header, `forbidden` if `TRUSTED_HEADER_USER` is not set or the address is not trusted. */
  read(request: Request, server: Server): ExternalPerson
  /** Time at which the headers last came from an address that is not trusted; undefined if never since the start. */
  ignoredAtMs(): number | undefined
}

type Deps = { config: Settings; clock: Clock; log: Log }

/** Reads the trusted headers, only from addresses of `TRUST_PROXY`. */
export function createProxyPersonReader({ config, clock, log }: Deps): ProxyPersonReader {
  let ignoredAtMs: number | undefined
  const trusted = addressSet(config.trustProxy)
  const { trustedHeaderUser, trustedHeaderEmail, trustedHeaderName, trustedHeaderGroups } = config

  const read = (request: Request, server: Server): ExternalPerson => {
    const { headers } = request
    const valueOf = (name: string | null) => (name === null ? '' : (headers.get(name) ?? '').trim())
    if (trustedHeaderUser === null) {
      throw new AppError('forbidden', 'Sign-in by a proxy is off', { details: 'TRUSTED_HEADER_USER is not set' })
    }
    const user = valueOf(trustedHeaderUser)
    if (user === '') {
      throw new AppError('unauthenticated', 'The proxy did not say who you are', {
        details: `it must send the header ${trustedHeaderUser}; ask the administrator of the proxy`,
      })
    }
    const peer = peerOf(request, server)
    if (!trusted.has(peer)) {
      ignoredAtMs = clock.now()
      log.warn('trusted header ignored', { header: trustedHeaderUser, address: peer })
      throw new AppError('forbidden', 'The header is trusted only from the proxy', {
        details: 'TRUST_PROXY does not name the address that sent it; open nines through the proxy',
      })
    }
    const email = valueOf(trustedHeaderEmail) || user
    return {
      issuer: proxyIssuer,
      subject: user.slice(0, 500),
      email: emailOf({ email, email_verified: true }),
      name: nameOf({ name: valueOf(trustedHeaderName), preferred_username: user }),
      groups: valueOf(trustedHeaderGroups)
        .split(/[,;|]/)
        .map((group) => group.trim())
        .filter((group) => group !== ''),
    }
  }
  return { read, ignoredAtMs: () => ignoredAtMs }
}
