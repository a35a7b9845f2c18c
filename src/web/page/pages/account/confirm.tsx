import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { postOpen } from '../../api/open.ts'
import { link } from '../../address/base.ts'
import { AccountForm, AccountPage } from './account-form.tsx'

/** Page of the link that confirms an e-mail address. It has a button, because mail programs open links too. */
export function Confirm() {
  const { query } = useLocation()
  const [isDone, setDone] = useState(false)
  if (isDone) {
    return (
      <AccountPage title="The e-mail address is confirmed">
        <a href={link('/')}>Overview</a>
      </AccountPage>
    )
  }
  return (
    <AccountForm
      title="Confirm your e-mail address"
      button="Confirm"
      initial={{}}
      fields={[]}
      onSend={async () => {
        await postOpen('/auth/confirm-email', { token: query.token ?? '' })
        setDone(true)
      }}
    />
  )
}
