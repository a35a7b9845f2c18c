import { useState } from 'preact/hooks'
import { postOpen } from '../../api/open.ts'
import { link } from '../../address/base.ts'
import { TextField } from '../../ui/form/field.tsx'
import { AccountForm, AccountPage } from './account-form.tsx'

export function Forgotten() {
  const [email, setEmail] = useState('')
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
      onSend={async () => {
        const { message } = await postOpen<{ message: string }>('/auth/password-reset-request', { email })
        setAnswer(message)
      }}
      below={<a href={link('/login')}>Sign in</a>}
    >
      {(problemOf) => (
        <TextField
          label="E-mail"
          type="email"
          autocomplete="username"
          required
          value={email}
          onValue={setEmail}
          problem={problemOf('email')}
        />
      )}
    </AccountForm>
  )
}
