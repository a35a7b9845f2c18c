import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Certificate authorities that nines trusts. */
export type Authorities = {
  /**
   * All trusted authorities, as PEM, for `fetch`, which does not read the default of the process; undefined: only the usual ones.
   */
  pem(): string | undefined
  /** Reads the file again if it has changed. Throws if it cannot be read; the authorities read before stay trusted. */
  refresh(): void
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Trusts the authorities of a PEM file beside the usual ones, in the whole process. `path` null: only the usual ones. Throws if
 * the file cannot be read or has no certificate.
 */
export function trustAuthorities(path: string | null): Authorities {
  if (path === null) return { pem: () => undefined, refresh() {} }
  const usual = getCACertificates('default')
  let stamp = ''
  let pem = ''
  const refresh = () => {
    try {
      const { mtimeMs, size, ino } = statSync(path)
      const current = `${mtimeMs} ${size} ${ino}`
      if (current === stamp) return
      const all = [...usual, ...readCertificates(readFileSync(path, 'latin1'))]
      setDefaultCACertificates(all)
      pem = all.join('\n')
      stamp = current
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`EXTRA_CA_FILE: ${path}: ${problem}`, { cause })
    }
  }
  refresh()
  return { pem: () => pem, refresh }
}

/** Certificates of a PEM text, at least one, each as PEM. Throws if one cannot be read. */
export function readCertificates(pem: string): [string, ...string[]] {
  const [first, ...others] = pem.match(certificate) ?? []
  if (first === undefined) throw new Error('must have at least one certificate in PEM (-----BEGIN CERTIFICATE-----)')
  const found: [string, ...string[]] = [first, ...others]
  for (const [at, one] of found.entries()) {
    if (!isCertificate(one)) throw new Error(`certificate ${at + 1} of ${found.length} cannot be read`)
  }
  return found
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== ''
  } catch {
    return false
  }
}
