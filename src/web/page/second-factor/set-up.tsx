import { useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import { chunk } from '../ui/chunk.tsx'
import { type FieldSpec, Fields } from '../ui/form/fields.tsx'
import { Form } from '../ui/form/form.tsx'
import { useForm } from '../ui/form/use-form.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import type { BegunSetUp, RecoveryCodeList } from './types.ts'
import { words } from './words.ts'

const path = '/auth/second-factor'
const Qr = chunk(async () => (await import('./qr.tsx')).Qr, 200)

const passwordFields: readonly FieldSpec<{ password: string }>[] = [
  {
    name: 'password',
    label: 'Your password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    maxLength: 256,
  },
]
const codeFields: readonly FieldSpec<{ code: string }>[] = [
  {
    name: 'code',
    label: words.confirm,
    hint: words.codeHint,
    autocomplete: 'one-time-code',
    required: true,
    autofocus: true,
    maxLength: 20,
  },
]

type Props = {
  /** Called when the code was right; the recovery codes are shown until `onDone`. */
  onConfirmed?: () => void
  onDone: () => void
}

/** Set-up of a second factor in three steps: password, QR code, recovery codes. */
export function SetUp({ onConfirmed, onDone }: Props) {
  const [begun, begin] = useState<BegunSetUp>()
  const [codes, setCodes] = useState<readonly string[]>()
  const showCodes = (made: readonly string[]) => {
    setCodes(made)
    onConfirmed?.()
  }
  if (codes) return <RecoveryCodes of={codes} onKept={onDone} />
  return begun ? <Confirmation of={begun} onCodes={showCodes} /> : <Beginning onBegun={begin} />
}

function Beginning({ onBegun }: { onBegun: (begun: BegunSetUp) => void }) {
  const form = useForm({
    initial: { password: '' },
    send: (body) => send<BegunSetUp>('POST', path, { body }),
    next: onBegun,
  })
  return (
    <Form of={form} class="form" action="Set up">
      <p class="hint">{words.begin}</p>
      <Fields of={passwordFields} form={form} />
    </Form>
  )
}

type ConfirmationProps = { of: BegunSetUp; onCodes: (codes: readonly string[]) => void }

function Confirmation({ of: { secret, otpauth_url }, onCodes }: ConfirmationProps) {
  const form = useForm({
    initial: { code: '' },
    send: (body) => send<RecoveryCodeList>('POST', `${path}/confirm`, { body }),
    done: 'The second factor is set up. All other sessions have ended.',
    next: ({ recovery_codes }) => onCodes(recovery_codes),
  })
  return (
    <div class="second-factor stack">
      <p>{words.scan}</p>
      <Qr text={otpauth_url} label="QR code for an authenticator app" />
      <p class="hint">
        {words.secret}: <span class="secret">{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</span>
      </p>
      <Form of={form} class="form" action="Confirm">
        <Fields of={codeFields} form={form} />
      </Form>
    </div>
  )
}
