import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { needsSetup, registration } from '../../api/page-settings.ts'
import { signIn, me } from '../../api/session.ts'
import { link } from '../../address/base.ts'
import { LinkButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
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

/** Setup token from the link that nines prints at its start, `#setup_token=…`: no proxy logs a fragment. */
function givenSetupToken(query: Record<string, string>): string {
  return new URLSearchParams(location.hash.slice(1)).get('setup_token') ?? query['setup_token'] ?? ''
}

function RegistrationForm({ invitation }: { invitation: string | undefined }) {
  const { query } = useLocation()
  const [fields, setFields] = useState(() => ({
    email: query.email ?? '',
    name: '',
    password: '',
    organization_name: '',
    setup_token: givenSetupToken(query),
  }))
  const isFirst = needsSetup.value
  const set = (name: keyof typeof fields) => (value: string) => setFields((before) => ({ ...before, [name]: value }))
  const send = async () => {
    const { email, name, password } = fields
    const optional = Object.fromEntries(
      (['organization_name', 'setup_token'] as const).flatMap((key) =>
        fields[key].trim() === '' ? [] : [[key, fields[key].trim()]],
      ),
    )
    await signIn('/auth/register', {
      email,
      name,
      password,
      ...optional,
      ...(invitation && { invitation_token: invitation }),
    })
    needsSetup.value = false
  }
  return (
    <AccountForm
      title={isFirst ? 'Create the first account' : invitation ? 'Accept the invitation' : 'Register'}
      button="Make the account"
      onSend={send}
      below={isFirst ? undefined : <a href={link('/login')}>Sign in instead</a>}
    >
      {(problemOf) => (
        <>
          {isFirst && <p class="muted">It administers this nines and its first organization.</p>}
          <TextField
            label="E-mail"
            type="email"
            autocomplete="username"
            required
            maxLength={254}
            value={fields.email}
            onValue={set('email')}
            problem={problemOf('email')}
          />
          <TextField
            label="Name"
            autocomplete="name"
            required
            maxLength={200}
            value={fields.name}
            onValue={set('name')}
            problem={problemOf('name')}
          />
          <TextField
            label="Password"
            hint="8 characters or more"
            type="password"
            autocomplete="new-password"
            required
            minLength={8}
            maxLength={256}
            value={fields.password}
            onValue={set('password')}
            problem={problemOf('password')}
          />
          {!invitation && (
            <TextField
              label="Organization"
              hint="Optional"
              maxLength={200}
              value={fields.organization_name}
              onValue={set('organization_name')}
              problem={problemOf('organization_name')}
            />
          )}
          {isFirst && (
            <TextField
              label="Setup token"
              hint="Only from another machine. nines prints it at each start until there is an account."
              maxLength={200}
              value={fields.setup_token}
              onValue={set('setup_token')}
              problem={problemOf('setup_token')}
            />
          )}
        </>
      )}
    </AccountForm>
  )
}
