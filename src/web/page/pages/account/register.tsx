import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { enter, me } from '../../api/session.ts'
import { link } from '../../base.ts'
import { TextField } from '../../ui/field.tsx'
import { AccountForm } from './account-form.tsx'

export function Register() {
  const { query, route } = useLocation()
  const [fields, setFields] = useState({
    email: query.email ?? '',
    name: '',
    password: '',
    organization_name: '',
    setup_token: '',
  })
  const invitation = query.invitation_token
  const set = (name: keyof typeof fields) => (value: string) => setFields((before) => ({ ...before, [name]: value }))
  useEffect(() => {
    if (me.value) route(link('/'), true)
  }, [me.value])
  const send = () => {
    const { email, name, password } = fields
    const optional = Object.fromEntries(
      (['organization_name', 'setup_token'] as const).flatMap((key) =>
        fields[key] === '' ? [] : [[key, fields[key]]],
      ),
    )
    return enter('/auth/register', {
      email,
      name,
      password,
      ...optional,
      ...(invitation && { invitation_token: invitation }),
    })
  }
  return (
    <AccountForm
      title={invitation ? 'Accept the invitation' : 'Register'}
      button="Make the account"
      onSend={send}
      below={<a href={link('/login')}>Sign in instead</a>}
    >
      {(problemOf) => (
        <>
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
            <>
              <TextField
                label="Organization"
                hint="Optional"
                maxLength={200}
                value={fields.organization_name}
                onValue={set('organization_name')}
                problem={problemOf('organization_name')}
              />
              <details>
                <summary>Setup token</summary>
                <TextField
                  label="Setup token"
                  hint="For the first account from another machine. The first start of nines prints it."
                  maxLength={200}
                  value={fields.setup_token}
                  onValue={set('setup_token')}
                  problem={problemOf('setup_token')}
                />
              </details>
            </>
          )}
        </>
      )}
    </AccountForm>
  )
}
