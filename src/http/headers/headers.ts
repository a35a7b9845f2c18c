/** Headers of every response, of the API and of the page. The policy allows what nines itself serves, and nothing inline. */
export const securityHeaders = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const

/**
 * Default `Cache-Control`: no proxy or browser stores the response, since many hold a token or a secret. In lower case, like
 * the headers that override it.
 */
export const noStore = { 'cache-control': 'no-store' } as const

/**
 * Policy for a page whose form response redirects to another host; browsers treat that host as a form target. `targets`: CSP
 * source expressions.
 */
export function policyWithFormTargets(targets: string): string {
  return securityHeaders['Content-Security-Policy'].replace("form-action 'self'", `form-action 'self' ${targets}`)
}
