import type { Probe } from '../collection/target.ts'
import { setCertificates } from './certificates.ts'
import {
  assertAccepted,
  connect,
  noProgress,
  ProbeFailure,
  readHostPort,
  type ProbeDeps,
  type Progress,
} from './connect.ts'
import { type Gauges, setLookup } from './gauges.ts'

type TcpProbe = Extract<Probe, { type: 'tcp' }>

/** Throws if there is no connection. Names and values as in `prober/tcp.go` of the blackbox exporter. */
export async function probeTcp({ target, settings }: TcpProbe, gauges: Gauges, deps: ProbeDeps): Promise<void> {
  gauges.set('probe_failed_due_to_regex', 0)
  setLookup(gauges, 0, null)
  const peer = readHostPort(target)
  if (!peer) throw new ProbeFailure('the target is not host:port')
  const progress = { ...noProgress }
  try {
    const certificates = settings.auth?.tls
    const tls = settings.tls ? { verify: settings.verifyCertificate, certificates } : null
    const socket = await connect({ ...peer, tls }, deps, progress)
    try {
      if (tls && certificates?.certificate !== undefined) await assertAccepted(socket, certificates, answerMs(progress))
    } finally {
      socket.destroy()
    }
  } finally {
    setLookup(gauges, progress.resolveSeconds, progress.address)
    setCertificates(gauges, progress.certificates)
  }
}

/** Time in which a server answers a certificate: 100 ms and three times as long as connection and handshake took, at most a second. */
function answerMs({ connectSeconds, tlsSeconds }: Progress): number {
  return Math.min(1000, 100 + 3000 * (connectSeconds + tlsSeconds))
}
