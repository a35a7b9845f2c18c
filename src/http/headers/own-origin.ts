/** True unless a request is sent by a page whose origin is neither `publicUrl` nor the host that it is sent to. */
export function isOwnOrigin(headers: Headers, publicUrl: string): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === new URL(publicUrl).origin || URL.parse(origin)?.host === headers.get('host')
}
