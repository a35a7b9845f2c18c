type Server = { requestIP(request: Request): { address: string } | null } | null

/** The address a request came from; `unknown` for one that came over no socket. */
export function clientAddress(request: Request, server: Server): string {
  const address = server?.requestIP(request)?.address ?? 'unknown'
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}
