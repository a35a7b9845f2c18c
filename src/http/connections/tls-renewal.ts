import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { expiryProblem, readTlsPair, type TlsFiles, type TlsPair } from './tls-pair.ts'

type Deps = {
  files: TlsFiles
  /** Pair that is served from the start. */
  served: TlsPair
  /** Serves new connections with another pair. If it throws, the previous pair stays in use. */
  serve: (pair: TlsPair) => void
  clock: Clock
  log: Pick<Log, 'info' | 'error'>
  /** Called with the problem that is to be shown from now on; null: there is none. */
  report: (problem: string | null) => void
}

/** Takes over a certificate that has been renewed in its files. */
export type TlsRenewal = {
  /**
   * Reads the files, and serves their pair if it has changed. If it is not valid, the previous pair stays in use, and the
   * problem is reported: at once if a person has asked for the check, otherwise only when a second check finds it again, because
   * the two files are not replaced at the same moment.
   */
  check(options?: { isAsked: boolean }): void
}

export function createTlsRenewal({ files, served, serve, clock, log, report }: Deps): TlsRenewal {
  let current = served
  let problemBefore: string | null = null

  function renew(): void {
    const next = readTlsPair(files)
    if (next.cert === current.cert && next.key === current.key) return
    const nowSeconds = clock.now() / 1000
    if (next.expiresAt <= nowSeconds && current.expiresAt > nowSeconds) {
      throw new Error(`TLS_CERT: ${files.cert} has been replaced by a certificate that has expired`)
    }
    serve(next)
    current = next
    log.info('TLS certificate renewed', { names: next.names, expires_at: isoOf(next) })
  }

  return {
    check({ isAsked } = { isAsked: false }) {
      let problem: string | null = null
      try {
        renew()
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error)
      }
      const isKnown = problem !== null && problem === problemBefore
      if (problem !== null && !isKnown) log.error('TLS certificate not renewed', { problem })
      problemBefore = problem
      const kept = `${problem}; the certificate from before is served, until ${isoOf(current)}`
      if (problem === null) report(expiryProblem(current, clock.now()))
      else if (isKnown || isAsked) report(kept)
    },
  }
}

const isoOf = ({ expiresAt }: TlsPair) => new Date(expiresAt * 1000).toISOString()
