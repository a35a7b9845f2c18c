import type { Oidc, OidcDeps } from './oidc.ts'

/** Opens the provider, whose code is loaded when it is first needed. Returns null if none is set up. */
export function openOidc(deps: OidcDeps): Oidc | null {
  if (deps.config.oidcIssuer === null) return null
  let opened: Promise<Oidc> | undefined
  const load = () => (opened ??= import('./oidc.ts').then(({ createOidc }) => createOidc(deps)))
  return {
    begin: async (...of) => (await load()).begin(...of),
    finish: async (...of) => (await load()).finish(...of),
    logoutUrl: async (...of) => (await load()).logoutUrl(...of),
    check: async () => (await load()).check(),
  }
}
