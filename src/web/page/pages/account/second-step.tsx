import { useState } from 'preact/hooks'
import { asApiError } from '../../api/client.ts'
import { signIn } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import type { FieldSpec } from '../../ui/form/fields.tsx'
import { AccountForm } from './account-form.tsx'

type Props = {
  /** Token that the first step was answered with. */
  token: string
  /** Leads back to the password; with a sentence if the token is no longer good. */
  onBack: (problem?: string) => void
}

const codeFields: readonly FieldSpec<{ code: string }>[] = [
  {
    name: 'code',
    label: 'Code',
    hint: 'Six digits, of your authenticator app',
    autocomplete: 'one-time-code',
    required: true,
    autofocus: true,
    maxLength: 20,
  },
]
const recoveryFields: readonly FieldSpec<{ recovery_code: string }>[] = [
  {
    name: 'recovery_code',
    label: 'Recovery code',
    hint: 'One of the ten that you kept; each is good once',
    autocomplete: 'off',
    spellcheck: false,
    required: true,
    autofocus: true,
    maxLength: 100,
  },
]

/** Second step of a sign-in: a code of the app, or a recovery code. */
export function SecondStep({ token, onBack }: Props) {
  const [isByRecovery, setByRecovery] = useState(false)
  const take = (proof: object) =>
    signIn('/auth/login/mfa', { mfa_token: token, ...proof }).catch((error: unknown) => {
      const { body } = asApiError(error)
      if (body['code'] === 'mfa_token_invalid') return onBack('The code came too late. Sign in again.')
      if (body['attempts_left'] === 0) return onBack('That was the fifth wrong code. Sign in again.')
      throw error
    })
  const below = (
    <>
      <Button kind="quiet" onClick={() => setByRecovery(!isByRecovery)}>
        {isByRecovery ? 'Use a code of the app' : 'Use a recovery code'}
      </Button>
      <Button kind="quiet" onClick={() => onBack()}>
        Back
      </Button>
    </>
  )
  const shared = { title: 'Second factor', button: 'Sign in', onSend: take, below }
  return isByRecovery ? (
    <AccountForm key="recovery" {...shared} initial={{ recovery_code: '' }} fields={recoveryFields} />
  ) : (
    <AccountForm key="code" {...shared} initial={{ code: '' }} fields={codeFields} />
  )
}
