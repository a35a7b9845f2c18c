import type { ServerCertificate } from '../../certificate.ts'
import { type Clock, stopwatch } from '../../clock.ts'
import { createAbort } from '../../concurrency/abort.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { Probe, CollectedSample } from '../collection/target.ts'
import { secondsSince, probeErrorMessage, type ProbeDeps } from './connect.ts'
import { probeDns } from './dns.ts'
import { createGauges, type Gauges } from './gauges.ts'
import { probeHttp } from './http.ts'
import { probeIcmp } from './icmp.ts'
import type { Pinger } from './pinger.ts'
import { probeTcp } from './tcp.ts'

/** `clock`: measures durations; `allowSelf`: the probe may connect to nines itself. */
type Deps = { outbound: Outbound; pinger: Pinger; clock?: Clock; signal: AbortSignal; allowSelf?: boolean }

/** `error`: why the probe did not succeed; null if it did. `certificate`: null if no certificate was seen. */
export type Probed = {
  success: boolean
  error: string | null
  samples: CollectedSample[]
  certificate: ServerCertificate | null
}

/**
 * Runs a probe for at most its `timeoutMs`; its samples have the names of the blackbox exporter. Network errors are results,
 * not exceptions. Throws `signal.reason` once that is aborted.
 */
export async function probe(
  one: Probe,
  { outbound, pinger, clock = stopwatch, signal, allowSelf = false }: Deps,
): Promise<Probed> {
  signal.throwIfAborted()
  const gauges = createGauges()
  using ending = createAbort(signal, one.timeoutMs)
  const beganMs = clock.now()
  let error: string | null = null
  try {
    await run(one, gauges, { outbound, pinger, clock, signal: ending.signal, allowSelf })
  } catch (thrown) {
    signal.throwIfAborted()
    error = ending.isLate ? '' : probeErrorMessage(thrown)
  }
  signal.throwIfAborted()
  // closing the connection at the timeout may look like the regular end of a body, so the timeout is checked here too
  if (ending.isLate) error = `it took longer than ${one.timeoutMs / 1000} s`
  gauges.set('probe_success', error === null ? 1 : 0)
  gauges.set('probe_duration_seconds', secondsSince(beganMs, clock))
  return { success: error === null, error, samples: gauges.samples(), certificate: gauges.certificate }
}

function run(one: Probe, gauges: Gauges, deps: ProbeDeps & { pinger: Pinger }): Promise<void> {
  switch (one.type) {
    case 'http':
      return probeHttp(one, gauges, deps)
    case 'tcp':
      return probeTcp(one, gauges, deps)
    case 'dns':
      return probeDns(one, gauges, deps)
    case 'icmp':
      return probeIcmp(one, gauges, deps)
  }
}
