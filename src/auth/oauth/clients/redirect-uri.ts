/** A place on the user's own machine, where a native application listens on whatever port is free: RFC 8252, 7.3. */
const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/

/** Where an application may have its users sent: https, or http on the user's own machine, spelled one way only. */
export function isRedirectUri(uri: string): boolean {
  const url = URL.parse(uri)
  if (!url || uri.length > 2000 || /[^\x21-\x7e]|[#*\\]/.test(uri)) return false
  if (url.href !== uri && url.href !== `${uri}/`) return false // else two readers could see two different places
  if (url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || loopback.test(uri)
}

/** Exactly one of the registered, character by character; of a place on the user's machine the port is left open. */
export function isRegistered(registered: string[], uri: string): boolean {
  if (!isRedirectUri(uri)) return false
  return registered.some((one) => one === uri || (loopback.test(one) && withoutPort(one) === withoutPort(uri)))
}

function withoutPort(uri: string): string {
  return uri.replace(loopback, 'http://$1')
}

/** A redirect URI with an answer in its query string. */
export function withAnswer(uri: string, answer: Record<string, string | null>): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== null)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/**
 * What a page's policy must name for its form to be answered by a redirect to there. Not the one place alone: browsers hold
 * the policy against every redirect that follows, and many an application sends its users on from its redirect URI.
 */
export function formTargetsOf(uri: string): string {
  const { protocol, hostname } = new URL(uri)
  if (protocol === 'https:') return 'https:'
  return hostname === '[::1]' ? 'https: http:' : 'https: http://localhost:* http://127.0.0.1:*' // CSP knows no IPv6
}
