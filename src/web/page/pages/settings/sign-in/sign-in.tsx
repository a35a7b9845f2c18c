import { send } from '../../../api/client.ts'
import { registration } from '../../../api/page-settings.ts'
import { useRead } from '../../../api/use-read.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Read } from '../../../ui/read.tsx'
import { Fact } from '../parts/fact.tsx'
import type { SignInSettings, SignInTest } from '../types.ts'
import { proxyWords, testedText } from './words.ts'

const registrations = {
  open: 'Anybody may register, and gets an organization of their own.',
  invite: 'Only who was invited may register.',
  closed: 'Nobody may register.',
}

/** Ways to sign in to the instance, and a test of its provider. */
export function SignIn() {
  const settings = useRead<SignInSettings>('/organization/sign-in')
  const isOfOtherOrganization = settings.error.value?.status === 403
  return (
    <>
      <section class="card section" aria-label="New accounts">
        <h2>New accounts</h2>
        <p>{registrations[registration]}</p>
      </section>
      <section class="card section" aria-label="Sign-in">
        <h2>Who comes in how</h2>
        {isOfOtherOrganization ? (
          <p class="hint">An administrator of the first organization can see this.</p>
        ) : (
          <Read of={settings} heightPx={160}>
            {(value) => <Ways of={value} />}
          </Read>
        )}
      </section>
    </>
  )
}

function Ways({ of: { passwords, provider, proxy } }: { of: SignInSettings }) {
  return (
    <>
      <dl class="facts">
        <Fact label="E-mail and password" value={passwords ? 'Yes' : 'No, only the provider signs in'} />
        <Fact label="Provider" value={provider ? `${provider.name}, ${provider.issuer}` : 'None'} />
        {provider && (
          <>
            <Fact label="Roles" value={provider.role_map.join(', ') || 'Given in nines'} />
            <Fact
              label="First sign-in"
              value={provider.create_users ? 'Makes an account' : 'Needs an account or an invitation'}
            />
            <Fact label="Address to register" value={provider.redirect_uri} />
            <Fact label="Address after signing out" value={provider.logout_redirect_uri} />
          </>
        )}
        <Fact label="Proxy" value={proxy ? proxyWords(proxy.headers, proxy.addresses) : 'None'} />
      </dl>
      {provider && <ProviderTest name={provider.name} />}
    </>
  )
}

function ProviderTest({ name }: { name: string }) {
  const test = useAction(() => send<SignInTest>('POST', '/organization/sign-in/test'), {
    done: ({ problem }) => testedText(name, problem),
    failed: 'The provider is not tested.',
  })
  return (
    <Button small isBusy={test.isBusy} onClick={() => test.run()}>
      Test the provider
    </Button>
  )
}
