import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { needsSetup, registration } from '../../api/page-settings.ts'
import { signIn, me } from '../../api/session.ts'
import { link } from '../../address/base.ts'
import { LinkButton } from '../../ui/button.tsx'
import { emailField, newPasswordField } from './account-fields.ts'
import { AccountForm, AccountPage } from './account-form.tsx'

export function Register() {
  const { query, route } = useLocation()
  const invitation = query.invitation_token
  useEffect(() => {
    if (me.value) route(link('/'), true)
  }, [me.value])
  if (me.value) return null
  if (needsSetup.value || registration === 'open' || (registration === 'invite' && invitation)) {
    return <RegistrationForm invitation={invitation} />
  }
  return <NotOpen />
}

function NotOpen() {
  const isClosed = registration === 'closed'
  return (
    <AccountPage title={isClosed ? 'Registration is closed' : 'You need an invitation'}>
      <p>
        {isClosed
          ? 'Nobody can register on this nines, not even with an invitation. Its operator can change that with REGISTRATION=invite.'
          : 'An administrator of an organization can send one. Open the link in its mail.'}
      </p>
      <LinkButton kind="primary" href={link('/login')}>
        Sign in
      </LinkButton>
    </AccountPage>
  )
}

const organizationField = {
  name: 'organization_name',
  label: 'Organization',
  hint: 'Optional',
  maxLength: 200,
} as const
const setupTokenField = {
  name: 'setup_token',
  label: 'Setup token',
  hint: 'Only from another machine. nines prints it at each start until there is an account.',
  maxLength: 200,
} as const

/** Setup token from the link that nines prints at its start, `#setup_token=…`: no proxy logs a fragment. */
function givenSetupToken(query: Record<string, string>): string {
  return new URLSearchParams(location.hash.slice(1)).get('setup_token') ?? query['setup_token'] ?? ''
}

function RegistrationForm({ invitation }: { invitation: string | undefined }) {
  const { query } = useLocation()
  const isFirst = needsSetup.value
  return (
    <AccountForm
      title={isFirst ? 'Create the first account' : invitation ? 'Accept the invitation' : 'Register'}
      button="Make the account"
      initial={() => ({
        email: query.email ?? '',
        name: '',
        password: '',
        organization_name: '',
        setup_token: givenSetupToken(query),
      })}
      fields={[
        { ...emailField, maxLength: 254 },
        { name: 'name', label: 'Name', autocomplete: 'name', required: true, maxLength: 200 },
        { ...newPasswordField, label: 'Password' },
        ...(invitation ? [] : [organizationField]),
        ...(isFirst ? [setupTokenField] : []),
      ]}
      onSend={async ({ organization_name, setup_token, ...account }) => {
        const optional = Object.entries({ organization_name, setup_token }).flatMap(([name, typed]) =>
          typed.trim() === '' ? [] : [[name, typed.trim()]],
        )
        await signIn('/auth/register', {
          ...account,
          ...Object.fromEntries(optional),
          ...(invitation && { invitation_token: invitation }),
        })
        needsSetup.value = false
      }}
      note={isFirst && <p class="muted">It administers this nines and its first organization.</p>}
      below={isFirst ? undefined : <a href={link('/login')}>Sign in instead</a>}
    />
  )
}
