import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { needsSetup, registration } from '../../api/page-settings.ts'
import { ending, signIn, me } from '../../api/session.ts'
import { link, nextOf } from '../../address/base.ts'
import { text, useAddress } from '../../address/fields.ts'
import type { FieldSpec } from '../../ui/form/fields.tsx'
import { emailField } from './account-fields.ts'
import { AccountForm } from './account-form.tsx'

const nextFields = { next: text }

const endings = {
  expired: 'Your session has ended. Sign in again.',
  elsewhere: 'You have signed out in another tab.',
}

const fields: readonly FieldSpec<{ email: string; password: string }>[] = [
  { ...emailField, autofocus: true },
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true },
]

export function Login() {
  const { route } = useLocation()
  const { next } = useAddress(nextFields).fields
  useEffect(() => {
    if (me.value) route(nextOf(next), true)
    else if (needsSetup.value) route(link('/register'), true)
  }, [me.value, needsSetup.value])
  return (
    <AccountForm
      title="Sign in"
      button="Sign in"
      initial={{ email: '', password: '' }}
      fields={fields}
      onSend={(draft) => signIn('/auth/login', draft)}
      note={ending.value && <p role="status">{endings[ending.value]}</p>}
      below={
        <>
          <a href={link('/forgotten-password')}>Forgotten password</a>
          {registration === 'open' && <a href={link('/register')}>Register</a>}
        </>
      }
    />
  )
}
