import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { postOpen } from '../../api/open.ts'
import { link } from '../../address/base.ts'
import { TextField } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast.ts'
import { AccountForm } from './account-form.tsx'

/** Page of the password reset link. */
export function Reset() {
  const { query, route } = useLocation()
  const [password, setPassword] = useState('')
  return (
    <AccountForm
      title="Choose a new password"
      button="Set the password"
      onSend={async () => {
        await postOpen('/auth/password-reset-confirm', { token: query.token ?? '', new_password: password })
        toast('The password is changed. Sign in with the new one.')
        route(link('/login'))
      }}
      below={<a href={link('/forgotten-password')}>Ask for another link</a>}
    >
      {(problemOf) => (
        <TextField
          label="New password"
          hint="8 characters or more"
          type="password"
          autocomplete="new-password"
          required
          minLength={8}
          maxLength={256}
          value={password}
          onValue={setPassword}
          problem={problemOf('new_password') ?? problemOf('token')}
        />
      )}
    </AccountForm>
  )
}
