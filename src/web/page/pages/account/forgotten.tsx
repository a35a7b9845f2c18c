import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { link } from '../../base.ts'
import { TextField } from '../../ui/field.tsx'
import { AccountForm, AccountPage } from './account-form.tsx'

export function Forgotten() {
  const [email, setEmail] = useState('')
  const [answer, setAnswer] = useState<string>()
  if (answer !== undefined) {
    return (
      <AccountPage>
        <h1>Look into your mailbox</h1>
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
        const { message } = await send<{ message: string }>('POST', '/auth/password-reset-request', { body: { email } })
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
