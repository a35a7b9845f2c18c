import type { Probe } from '../collection/target.ts'
import { secondsSince, type ProbeDeps } from './connect.ts'
import { type Gauges, setLookup } from './gauges.ts'
import type { Pinger } from './pinger.ts'

type IcmpProbe = Extract<Probe, { type: 'icmp' }>

const noPort = 0

/**
 * Sends one echo request. Throws if there is no reply. Names and values as in `prober/icmp.go` of the blackbox exporter; the
 * phase `setup` is the start of `ping`.
 */
export async function probeIcmp(
  { target, timeoutMs }: IcmpProbe,
  gauges: Gauges,
  { outbound, clock, signal, pinger }: ProbeDeps & { pinger: Pinger },
): Promise<void> {
  const setPhase = (phase: string, seconds: number) =>
    gauges.set('probe_icmp_duration_seconds', seconds, ['phase', phase])
  for (const phase of ['resolve', 'setup', 'rtt']) setPhase(phase, 0)
  setLookup(gauges, 0, null)
  const beganMs = clock.now()
  const [address = ''] = await outbound.resolve(target, noPort, { signal }).finally(() => {
    setPhase('resolve', secondsSince(beganMs, clock))
    setLookup(gauges, secondsSince(beganMs, clock), null)
  })
  setLookup(gauges, secondsSince(beganMs, clock), address)
  const resolvedMs = clock.now()
  const { rttSeconds, hopLimit } = await pinger.ping(address, { timeoutMs, signal })
  setPhase('rtt', rttSeconds)
  setPhase('setup', Math.max(0, secondsSince(resolvedMs, clock) - rttSeconds))
  gauges.set('probe_icmp_reply_hop_limit', hopLimit)
}
