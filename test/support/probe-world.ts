import type { Clock } from '../../src/clock.ts'
import type { DnsSettings, HttpSettings, Probe, TcpSettings } from '../../src/embedded/collection/target.ts'
import { httpDefaults, tcpDefaults } from '../../src/embedded/probes/settings-model.ts'
import { createPinger, type Pinger } from '../../src/embedded/probing/pinger.ts'
import { type Probed, probe } from '../../src/embedded/probing/probe.ts'
import { createOutbound, type Lookup } from '../../src/http/outbound/outbound.ts'
import { closeLater } from './closing.ts'
import { resolveTo } from './outbound-world.ts'
import { type ReceivedRequest, rawHttp, type Wire } from './raw-http.ts'

type World = {
  deny?: string[]
  lookup?: Lookup
  clock?: Clock
  signal?: AbortSignal
  timeoutMs?: number
  pinger?: Pinger
}

/** Runs a probe. Every name resolves to 127.0.0.1, unless `lookup` is given. */
async function run(
  one: Probe,
  { deny = [], lookup = resolveTo('127.0.0.1').lookup, clock, pinger = createPinger(), ...world }: World,
): Promise<Tried> {
  const outbound = createOutbound({ deny, lookup })
  const { signal = new AbortController().signal } = world
  return named(await probe(one, { outbound, pinger, signal, ...(clock && { clock }) }))
}

/** Certificate that a probe with these settings sees; null: none. */
export async function certificateSeen(target: string, settings: Partial<HttpSettings> = {}) {
  const outbound = createOutbound({ deny: [], lookup: resolveTo('127.0.0.1').lookup })
  const one: Probe = { ...common({}), type: 'http', target, settings: { ...httpDefaults, ...settings } }
  return (await probe(one, { outbound, pinger: createPinger(), signal: new AbortController().signal })).certificate
}

const common = ({ timeoutMs = 30_000 }: World) => ({
  id: 1,
  organizationId: 1,
  name: 'tried',
  intervalMs: 60_000,
  timeoutMs,
  labels: {},
  confirm: true,
  downAfter: 2,
})

/** Readings by name and labels, as `probe_http_duration_seconds phase=tls`. */
export type Tried = Omit<Probed, 'samples' | 'certificate'> & { samples: Record<string, number> }

function named({ success, error, samples }: Probed): Tried {
  const byName = samples.map(({ labels, value }): [string, number] => {
    const [[, name] = [], ...others] = labels
    return [[name, ...others.map((label) => label.join('='))].join(' '), value]
  })
  return { success, error, samples: Object.fromEntries(byName) }
}

export const tryHttp = (target: string, settings: Partial<HttpSettings> = {}, world: World = {}) =>
  run({ ...common(world), type: 'http', target, settings: { ...httpDefaults, ...settings } }, world)

export const tryTcp = (target: string, settings: Partial<TcpSettings> = {}, world: World = {}) =>
  run({ ...common(world), type: 'tcp', target, settings: { ...tcpDefaults, ...settings } }, world)

export const tryDns = (target: string, settings: Partial<DnsSettings> = {}, world: World = {}) =>
  run(
    { ...common(world), type: 'dns', target, settings: { server: null, recordType: 'A', expected: null, ...settings } },
    world,
  )

export const tryIcmp = (target: string, world: World = {}) =>
  run({ ...common(world), type: 'icmp', target, settings: {} }, world)

/** An HTTP server at probe.example that answers with these bytes and closes. `left` resolves when its connection has closed. */
export function answering(answer: string | ((asked: ReceivedRequest, wire: Wire) => void)) {
  const asked: ReceivedRequest[] = []
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const server = rawHttp((one, wire) => {
    asked.push(one)
    if (typeof answer !== 'string') return answer(one, wire)
    wire.write(answer)
    wire.end()
  }, resolve)
  closeLater(() => server.close())
  return { url: `http://probe.example:${server.port}`, port: server.port, asked, left }
}
