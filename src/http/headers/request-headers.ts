/**
 * Whether users may not choose a header of the requests that nines sends for them, in capitals or not: it names another host
 * than the one that was checked, says where a request comes from, or is about the connection (RFC 9110, 7.6.1), which is
 * nines' own.
 */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return reserved.has(lower) || /^(?:proxy|x-forwarded)-/.test(lower)
}

const reserved = new Set([
  'host',
  'forwarded',
  'via',
  'expect',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Those of stored headers that are sent: what is reserved may have been stored before it was. */
export function withoutReserved<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isReservedHeader(name)))
}
