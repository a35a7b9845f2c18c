import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { useRead } from '../../../api/use-read.ts'
import { RecoveryCodes } from '../../../second-factor/recovery-codes.tsx'
import { SetUp } from '../../../second-factor/set-up.tsx'
import type { RecoveryCodeList, SecondFactor as Factor } from '../../../second-factor/types.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Read } from '../../../ui/read.tsx'
import { Time } from '../../../ui/time.tsx'
import { disableText, requiredText, secondFactorSentences } from './words.ts'

const path = '/auth/second-factor'

type Draft = { password: string; code: string }

const empty: Draft = { password: '', code: '' }
const fields: readonly FieldSpec<Draft>[] = [
  {
    name: 'password',
    label: 'Your password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    maxLength: 256,
  },
  {
    name: 'code',
    label: 'Code',
    hint: 'Of your authenticator app, or a recovery code',
    autocomplete: 'one-time-code',
    required: true,
    maxLength: 100,
  },
]

/** Second factor of the person: its state, its set-up, new recovery codes, and its end. */
export function SecondFactor() {
  const factor = useRead<Factor>(path)
  const [codes, setCodes] = useState<readonly string[]>()
  const [isShowing, show] = useState(false) // the codes of a set-up stay, also if the state is read again
  const finishSetUp = () => {
    show(false)
    invalidate(path)
  }
  return (
    <section class="card section" aria-label="Second factor">
      <h2>Second factor</h2>
      {codes && <RecoveryCodes of={codes} onKept={() => setCodes(undefined)} />}
      <Read of={factor} heightPx={80}>
        {(value) =>
          value.is_set_up && !isShowing ? (
            <Existing of={value} onCodes={setCodes} />
          ) : (
            <SetUp onConfirmed={() => show(true)} onDone={finishSetUp} />
          )
        }
      </Read>
    </section>
  )
}

type ExistingProps = { of: Factor; onCodes: (codes: readonly string[] | undefined) => void }

function Existing({ of: { set_up_at, recovery_codes_left, is_required }, onCodes }: ExistingProps) {
  const [asked, ask] = useState<'codes' | 'end'>()
  const close = () => ask(undefined)
  return (
    <>
      <p>
        {secondFactorSentences(set_up_at === null ? null : <Time ms={Date.parse(set_up_at)} />, recovery_codes_left)}
      </p>
      {is_required && <p class="hint">{requiredText}</p>}
      <div>
        <Button small onClick={() => ask('codes')}>
          New recovery codes
        </Button>{' '}
        <Button small onClick={() => ask('end')}>
          Disable
        </Button>
      </div>
      {asked === 'codes' && <NewCodes onClose={close} onCodes={onCodes} />}
      {asked === 'end' && <Disabling onClose={close} onDone={() => onCodes(undefined)} />}
    </>
  )
}

/** Body of a change: six digits are a code of the app, anything else a recovery code. */
function bodyOf({ password, code }: Draft) {
  return /^\d{6}$/.test(code.replaceAll(/\s/g, '')) ? { password, code } : { password, recovery_code: code }
}

/** Fields of the API whose problems are shown at the code. */
const names = { code: ['code', 'recovery_code'] } as const

function NewCodes({ onClose, onCodes }: { onClose: () => void; onCodes: (codes: readonly string[]) => void }) {
  const form = useForm({
    initial: empty,
    names,
    send: async (draft) => {
      const made = await send<RecoveryCodeList>('POST', `${path}/recovery-codes`, { body: bodyOf(draft) })
      invalidate(path)
      return made
    },
    next: ({ recovery_codes }) => {
      onCodes(recovery_codes)
      onClose()
    },
  })
  return (
    <FormDialog of={form} title="New recovery codes" action="Replace them" onClose={onClose}>
      <p>The earlier ones are refused from then on.</p>
      <Fields of={fields} form={form} />
    </FormDialog>
  )
}

function Disabling({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const form = useForm({
    initial: empty,
    names,
    send: async (draft) => {
      await send('POST', `${path}/disable`, { body: bodyOf(draft) })
      invalidate(path)
    },
    done: 'The second factor is disabled.',
    next: () => {
      onDone()
      onClose()
    },
  })
  return (
    <FormDialog of={form} title="Disable the second factor" action="Disable" onClose={onClose}>
      <p>{disableText}</p>
      <Fields of={fields} form={form} />
    </FormDialog>
  )
}
