import type { Resolver } from 'node:dns/promises'
import type { RecordType } from '../collection/target.ts'

/** How to ask for the records of a name; each as the text that follows the type in a zone file. */
export const recordsOf: Record<RecordType, (resolver: Resolver, name: string) => Promise<string[]>> = {
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
