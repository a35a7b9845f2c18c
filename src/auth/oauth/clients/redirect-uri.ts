/** Loopback address of the user's machine, where a native application listens on any free port: RFC 8252, 7.3. */
const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/

/** True for a URI to which users may be redirected: https, or http on the user's own machine, in canonical spelling. */
export function isRedirectUri(uri: string): boolean {
  const url = URL.parse(uri)
  if (!url || uri.length > 2000 || /[^\x21-\x7e]|[#*\\]/.test(uri)) return false
  if (url.href !== uri && url.href !== `${uri}/`) return false // otherwise two parsers could read two different targets
  if (url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || loopback.test(uri)
}

/** True if `uri` equals a registered URI, character by character; on the user's own machine the port may differ. */
export function isRegistered(registered: string[], uri: string): boolean {
  if (!isRedirectUri(uri)) return false
  return registered.some((one) => one === uri || (loopback.test(one) && withoutPort(one) === withoutPort(uri)))
}

function withoutPort(uri: string): string {
  return uri.replace(loopback, 'http://$1')
}

/** Adds a response to the query string of a redirect URI; null values are left out. */
export function withResponseParameters(uri: string, answer: Record<string, string | null>): string {
  const parameters = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== null)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
}

/**
 * CSP `form-action` sources for a page whose form response redirects to `uri`. They allow more than the origin of `uri`, because
 * browsers apply the policy to every further redirect, and many applications redirect their users again.
 */
export function formTargetsOf(uri: string): string {
  const { protocol, hostname } = new URL(uri)
  if (protocol === 'https:') return 'https:'
  return hostname === '[::1]' ? 'https: http:' : 'https: http://localhost:* http://127.0.0.1:*' // CSP has no IPv6
}
