import { type TestApp, testApp } from './app.ts'
import { browserOf, type OidcBrowser, type ProviderOptions, TestProvider } from './test-provider.ts'

/** nines with a provider, and a browser. */
export type OidcWorld = TestApp & OidcBrowser & { base: string; provider: TestProvider }

export async function oidcWorld(env: Record<string, string> = {}, options: ProviderOptions = {}): Promise<OidcWorld> {
  const provider = await TestProvider.start(options)
  const nines = await testApp({ env: { ...provider.env, ...env } })
  const base = nines.listen()
  provider.serve(base)
  return {
    ...nines,
    ...browserOf(base, provider),
    base,
    provider,
    async close() {
      await nines.close()
      provider.close()
    },
  }
}
