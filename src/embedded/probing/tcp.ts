import type { Probe } from '../collection/target.ts'
import { setCertificates } from './certificates.ts'
import { connect, noProgress, ProbeFailure, readHostPort, type ProbeDeps } from './connect.ts'
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
    const tls = settings.tls ? { verify: settings.verifyCertificate } : null
    const socket = await connect({ ...peer, tls }, deps, progress)
    socket.destroy()
  } finally {
    setLookup(gauges, progress.resolveSeconds, progress.address)
    setCertificates(gauges, progress.certificates)
  }
}
