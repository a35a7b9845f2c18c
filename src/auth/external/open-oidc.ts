import { loadOnce } from '../../concurrency/load-once.ts'
import type { Oidc, OidcDeps } from './oidc.ts'

/** Opens the provider, whose code is loaded when it is first needed. Returns null if none is set up. */
export function openOidc(deps: OidcDeps): Oidc | null {
  if (deps.config.oidcIssuer === null) return null
  const load = loadOnce(async () => {
    const { createOidc } = await import('./oidc.ts')
    return createOidc(deps)
  })
  return {
    begin: async (...args) => (await load()).begin(...args),
    finish: async (...args) => (await load()).finish(...args),
    logoutUrl: async (...args) => (await load()).logoutUrl(...args),
    check: async () => (await load()).check(),
  }
}
