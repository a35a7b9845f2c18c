/**
 * A typed address with its scheme. Without one it is `https` for a name with a dot, and `http` for a single name, an IP address
 * or another port, as in `prometheus:9090`.
 */
export function withScheme(typed: string): string {
  const address = typed.trim()
  if (address === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(address)) return address
  const host = address.split('/')[0] ?? ''
  const isPublic = /^[^:[\]]+\.[a-z][^:[\]]*$/i.test(host)
  return `${isPublic ? 'https' : 'http'}://${address}`
}
