import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { needsSetup, registration } from '../../api/page-settings.ts'
import { ending, signIn, me } from '../../api/session.ts'
import { link, nextOf } from '../../address/base.ts'
import { text, useAddress } from '../../address/fields.ts'
import { TextField } from '../../ui/form/field.tsx'
import { AccountForm } from './account-form.tsx'

const nextFields = { next: text }

const endings = {
  expired: 'Your session has ended. Sign in again.',
  elsewhere: 'You have signed out in another tab.',
}

export function Login() {
  const { route } = useLocation()
  const { next } = useAddress(nextFields).fields
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  useEffect(() => {
    if (me.value) route(nextOf(next), true)
    else if (needsSetup.value) route(link('/register'), true)
  }, [me.value, needsSetup.value])
  return (
    <AccountForm
      title="Sign in"
      button="Sign in"
      onSend={() => signIn('/auth/login', { email, password })}
      below={
        <>
          <a href={link('/forgotten-password')}>Forgotten password</a>
          {registration === 'open' && <a href={link('/register')}>Register</a>}
        </>
      }
    >
      {() => (
        <>
          {ending.value && <p role="status">{endings[ending.value]}</p>}
          <TextField
            label="E-mail"
            type="email"
            autocomplete="username"
            required
            autofocus
            value={email}
            onValue={setEmail}
          />
          <TextField
            label="Password"
            type="password"
            autocomplete="current-password"
            required
            value={password}
            onValue={setPassword}
          />
        </>
      )}
    </AccountForm>
  )
}
