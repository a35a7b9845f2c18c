import { useState } from 'preact/hooks'
import { ApiError, send } from '../../../api/client.ts'
import type { IncidentAccount, OneIncident } from '../../../api/history.ts'
import { whyNot } from '../../../api/rights.ts'
import { reread } from '../../../incidents/acknowledge-requests.ts'
import { attempt } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Fields, type FieldSpec } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Markdown } from '../../../ui/markdown.tsx'
import { Time } from '../../../ui/time.tsx'
import { accountDeletedText, accountNotDeletedText, accountNotRestoredText, accountSavedText } from '../words.ts'

type Incident = Pick<OneIncident['data'], 'id' | 'slo_name' | 'account'>
type Account = NonNullable<Incident['account']>
type Draft = { text: string; url: string }

/** Account of an incident (what people have written about it), and the buttons to write, change and delete it. */
export function WrittenAccount({ of: { id, slo_name, account } }: { of: Incident }) {
  const [isWriting, setWriting] = useState(false)
  const unavailable = whyNot('edit')
  return (
    <div class="written">
      {account ? (
        <>
          <Markdown text={account.text} />
          {account.url !== '' && (
            <p>
              <a href={account.url} target="_blank" rel="noreferrer">
                {account.url}
              </a>
            </p>
          )}
          <p class="muted">
            {account.by}, <Time ms={Date.parse(account.updated_at)} />
          </p>
        </>
      ) : (
        <p class="muted">Nobody has written yet what happened, why, and what is done about it.</p>
      )}
      <div class="cluster">
        <Button small unavailable={unavailable} onClick={() => setWriting(true)}>
          {account ? 'Edit the account…' : 'Write an account…'}
        </Button>
        {account && (
          <Button small unavailable={unavailable} onClick={() => void remove(id, slo_name, account)}>
            Delete the account
          </Button>
        )}
      </div>
      {isWriting && <AccountForm id={id} name={slo_name} account={account} onClose={() => setWriting(false)} />}
    </div>
  )
}

const fields: readonly FieldSpec<Draft>[] = [
  { name: 'text', label: 'Account', kind: 'area', rows: 12, hint: 'Markdown: # heading, - list, **bold**, `code`' },
  { name: 'url', label: 'Link', inputMode: 'url', placeholder: 'https://', maxLength: 2000 },
]

type FormProps = { id: number; name: string; account: Account | null; onClose: () => void }

function AccountForm({ id, name, account, onClose }: FormProps) {
  const [version, setVersion] = useState(account?.version ?? 0)
  const [theirs, setTheirs] = useState<Account | null>(null)
  const form = useForm<Draft, unknown>({
    initial: { text: account?.text ?? '', url: account?.url ?? '' },
    check: ({ text }) => (text.trim() === '' ? { text: 'Write what happened.' } : undefined),
    send: async (draft) => {
      try {
        return await send('PUT', pathOf(id), { body: { ...draft, version } })
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) await readTheirs()
        throw error
      }
    },
    done: accountSavedText(name),
    next: () => {
      onClose()
      reread()
    },
  })

  /** Reads what somebody else has stored, which the next save replaces. */
  async function readTheirs(): Promise<void> {
    const read = await send<IncidentAccount>('GET', pathOf(id)).catch(() => null)
    setVersion(read?.data.version ?? 0)
    setTheirs(read?.data ?? null)
  }

  return (
    <FormDialog of={form} title="Account of the incident" action={theirs ? 'Replace theirs' : 'Save'} onClose={onClose}>
      <Fields of={fields} form={form} />
      {theirs && (
        <section class="theirs" aria-label="The other version">
          <p class="muted">
            {theirs.by}, <Time ms={Date.parse(theirs.updated_at)} />
          </p>
          <Markdown text={theirs.text} />
        </section>
      )}
    </FormDialog>
  )
}

async function remove(id: number, name: string, { text, url }: Account): Promise<void> {
  const restore = () => {
    return attempt(() => send('PUT', pathOf(id), { body: { text, url, version: 0 } }), {
      failed: accountNotRestoredText(name),
      ended: reread,
    })
  }
  await attempt(() => send('DELETE', pathOf(id)), {
    done: accountDeletedText(name),
    undo: restore,
    failed: accountNotDeletedText(name),
    ended: reread,
  })
}

function pathOf(id: number): string {
  return `/incidents/${id}/account`
}
