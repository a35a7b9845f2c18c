/** False where a request is sent by a page of another origin than that of `publicUrl` or of the host that it is sent to. */
export function isOwnOrigin(headers: Headers, publicUrl: string): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === new URL(publicUrl).origin || URL.parse(origin)?.host === headers.get('host')
}
