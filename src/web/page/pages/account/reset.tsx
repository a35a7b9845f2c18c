import { useLocation } from 'preact-iso/router'
import { postOpen } from '../../api/open.ts'
import { link } from '../../address/base.ts'
import { newPasswordField } from './account-fields.ts'
import { toast } from '../../ui/toast.ts'
import { AccountForm } from './account-form.tsx'

/** Page of the password reset link. */
export function Reset() {
  const { query, route } = useLocation()
  return (
    <AccountForm
      title="Choose a new password"
      button="Set the password"
      initial={{ password: '' }}
      names={{ password: ['new_password', 'token'] }}
      fields={[{ ...newPasswordField, label: 'New password' }]}
      onSend={async ({ password }) => {
        await postOpen('/auth/password-reset-confirm', { token: query.token ?? '', new_password: password })
        toast('The password is changed. Sign in with the new one.')
        route(link('/login'))
      }}
      below={<a href={link('/forgotten-password')}>Ask for another link</a>}
    />
  )
}
