import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { send } from '../../api/client.ts'
import { link } from '../../base.ts'
import { AccountForm, AccountPage } from './account-form.tsx'

/** The page behind the link that confirms an address: a button, since programs follow links too. */
export function Confirm() {
  const { query } = useLocation()
  const [isDone, setDone] = useState(false)
  if (isDone) {
    return (
      <AccountPage>
        <h1>The e-mail address is confirmed</h1>
        <a href={link('/')}>Overview</a>
      </AccountPage>
    )
  }
  return (
    <AccountForm
      title="Confirm your e-mail address"
      button="Confirm"
      onSend={async () => {
        await send('POST', '/auth/confirm-email', { body: { token: query.token ?? '' } })
        setDone(true)
      }}
    >
      {() => null}
    </AccountForm>
  )
}
