import { useState } from 'preact/hooks'
import { postOpen } from '../../api/open.ts'
import { link } from '../../address/base.ts'
import { emailField } from './account-fields.ts'
import { AccountForm, AccountPage } from './account-form.tsx'

export function Forgotten() {
  const [answer, setAnswer] = useState<string>()
  if (answer !== undefined) {
    return (
      <AccountPage title="Look into your mailbox">
        <p>{answer}</p>
        <a href={link('/login')}>Sign in</a>
      </AccountPage>
    )
  }
  return (
    <AccountForm
      title="Forgotten password"
      button="Send a link"
      initial={{ email: '' }}
      fields={[emailField]}
      onSend={async (body) => {
        const { message } = await postOpen<{ message: string }>('/auth/password-reset-request', body)
        setAnswer(message)
      }}
      below={<a href={link('/login')}>Sign in</a>}
    />
  )
}
