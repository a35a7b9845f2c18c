/** On every answer, of the API and of the page. The policy allows what nines itself serves, and nothing inline. */
export const securityHeaders = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const

/**
 * For every answer that says nothing else: none is for a cache on the way, and the many that hold a token or secret are for
 * no disk. In small letters, as all who say something else spell it.
 */
export const notStored = { 'cache-control': 'no-store' } as const

/**
 * The policy for a page whose form is answered by a redirect to another host, which browsers count as a place the form is
 * sent to. `targets`: source expressions of CSP.
 */
export function policyWithFormTargets(targets: string): string {
  return securityHeaders['Content-Security-Policy'].replace("form-action 'self'", `form-action 'self' ${targets}`)
}
