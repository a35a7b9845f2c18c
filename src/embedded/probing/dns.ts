import { Resolver } from 'node:dns/promises'
import { onAbort } from '../../concurrency/abort.ts'
import { domainToASCII } from 'node:url'
import type { Probe, RecordType } from '../collection/target.ts'
import { ProbeFailure, readHostPort, secondsSince, type ProbeDeps } from './connect.ts'
import { type Gauges, setLookup } from './gauges.ts'
import { compilePattern } from './pattern.ts'

type DnsProbe = Extract<Probe, { type: 'dns' }>

/**
 * Queries the records of a name once. Throws `ProbeFailure` if they are not as expected. Metric names and values are those of
 * `prober/dns.go` of the blackbox exporter, but only records of the requested type are counted.
 */
export async function probeDns(probe: DnsProbe, gauges: Gauges, deps: ProbeDeps): Promise<void> {
  const { recordType, expected } = probe.settings
  for (const name of ['probe_dns_answer_rrs', 'probe_dns_query_succeeded']) gauges.set(name, 0)
  for (const phase of ['resolve', 'connect', 'request']) gauges.set('probe_dns_duration_seconds', 0, ['phase', phase])
  setLookup(gauges, 0, null)
  const name = queryName(probe.target)
  const resolver = await resolverFor(probe, gauges, deps)
  const records = await runQuery(resolver, () => recordsOf[recordType](resolver, name), gauges, deps)
  gauges.set('probe_dns_answer_rrs', records.length)
  // Bun 1.4.5 gives each string of a long TXT record as a separate record
  const texts = recordType === 'TXT' ? [...records, records.join('')] : records
  if (expected !== null && !texts.some(compilePattern(expected))) throw new ProbeFailure('no record is as expected')
}

/**
 * Resolver with the given name server, or the system's. `OUTBOUND_DENY` does not apply to the system's name servers, because
 * the operator chose them.
 */
async function resolverFor({ settings, timeoutMs }: DnsProbe, gauges: Gauges, deps: ProbeDeps): Promise<Resolver> {
  if (settings.server === null) {
    const servers = new Resolver().getServers()
    const first = readHostPort(servers[0] ?? '', 53)
    setLookup(gauges, 0, first?.host ?? null)
    return new Resolver({ timeout: Math.ceil(timeoutMs / Math.max(1, servers.length)), tries: 1 })
  }
  const server = readHostPort(settings.server, 53)
  if (!server) throw new ProbeFailure('the name server is not host or host:port')
  const beganMs = deps.clock.now()
  const [address = ''] = await deps.outbound.resolve(server.host, server.port, { signal: deps.signal })
  const seconds = secondsSince(beganMs, deps.clock)
  setLookup(gauges, seconds, address)
  gauges.set('probe_dns_duration_seconds', seconds, ['phase', 'resolve'])
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
  resolver.setServers([address.includes(':') ? `[${address}]:${server.port}` : `${address}:${server.port}`])
  return resolver
}

async function runQuery<T>(resolver: Resolver, query: () => Promise<T>, gauges: Gauges, deps: ProbeDeps): Promise<T> {
  const { clock, signal } = deps
  signal.throwIfAborted()
  using _ = onAbort(signal, () => resolver.cancel())
  const beganMs = clock.now()
  try {
    const records = await query()
    gauges.set('probe_dns_query_succeeded', 1)
    return records
  } catch (error) {
    const answer = failureMessages.get(error instanceof Error && 'code' in error ? String(error.code) : '')
    if (answer === undefined) throw new ProbeFailure('the name server did not answer')
    gauges.set('probe_dns_query_succeeded', 1)
    throw new ProbeFailure(answer)
  } finally {
    gauges.set('probe_dns_duration_seconds', secondsSince(beganMs, clock), ['phase', 'request'])
  }
}

const noRecord = 'the name does not exist, or has no record of this type'
/** Failures of a name server, by the code of the error thrown. */
const failureMessages = new Map([
  ['ENOTFOUND', noRecord],
  ['ENODATA', noRecord],
  ['ESERVFAIL', 'the name server failed (SERVFAIL)'],
  ['EREFUSED', 'the name server refuses to answer (REFUSED)'],
  ['EFORMERR', 'the name server does not understand the question (FORMERR)'],
  ['ENOTIMP', 'the name server does not answer such questions (NOTIMP)'],
])

/** ASCII form of a name. Throws for an invalid one, because the resolver's error would look like that of a name without records. */
function queryName(target: string): string {
  const name = /^[\x21-\x7e]*$/.test(target) ? target : domainToASCII(target)
  const labels = name.replace(/\.$/, '').split('.')
  const isValid = name.length <= 254 && labels.every(({ length }) => length >= 1 && length <= 63)
  if (!isValid) throw new ProbeFailure('the target is no name of the DNS')
  return name
}

/** Queries by record type; each record is the text after the type in a zone file. */
const recordsOf: Record<RecordType, (resolver: Resolver, name: string) => Promise<string[]>> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CNAME: (resolver, name) => resolver.resolveCname(name),
  NS: (resolver, name) => resolver.resolveNs(name),
  PTR: (resolver, name) => resolver.resolvePtr(name),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).flat(),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange}`),
  SRV: async (resolver, name) =>
    (await resolver.resolveSrv(name)).map((one) => `${one.priority} ${one.weight} ${one.port} ${one.name}`),
  CAA: async (resolver, name) =>
    (await resolver.resolveCaa(name)).map(({ critical, ...property }) => {
      const [tag, value] = Object.entries(property)[0] ?? []
      return `${critical} ${tag} "${value}"`
    }),
}
