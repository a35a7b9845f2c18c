import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { useRead } from '../../../api/use-read.ts'
import { Button } from '../../../ui/button.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Removal } from '../parts/removal.tsx'
import { Secret } from '../../../ui/secret.tsx'
import type { Client, ClientList, NewClient } from '../types.ts'
import { clientIdWords, secretLabel } from './words.ts'
import { deletedText } from '../../../ui/named-words.ts'

const list = '/oauth/clients'

const columns: Column<Client>[] = [
  { head: 'Application', cell: ({ name }) => name },
  {
    head: 'Client ID',
    cell: ({ client_id, name }) => (
      <span class="cluster">
        <code>{client_id}</code>
        <Copy text={client_id} of={clientIdWords(name)} />
      </span>
    ),
  },
  { head: 'Redirect URIs', cell: ({ redirect_uris }) => redirect_uris.map((uri) => <div key={uri}>{uri}</div>) },
  { head: 'Secret', cell: ({ confidential }) => (confidential ? 'Yes' : 'No, PKCE alone') },
  { head: 'Since', cell: ({ created_at }) => <Time ms={Date.parse(created_at)} /> },
]

/** OAuth clients of the organization. */
export function Applications() {
  const clients = useRead<ClientList>(list)
  const [isNew, open] = useState(false)
  const [made, setMade] = useState<NewClient>()
  return (
    <section class="card section" aria-label="Applications">
      <div class="split">
        <h2>Applications</h2>
        <Button small icon="plus" onClick={() => open(true)}>
          New application
        </Button>
      </div>
      <p class="hint">OAuth clients, which people of the organization can allow to act for them.</p>
      {made?.client_secret !== undefined && (
        <Secret label={secretLabel(made.name)} text={made.client_secret} of="the secret" />
      )}
      <Read of={clients} heightPx={120}>
        {(value) => (
          <Table
            caption="Applications"
            columns={columns}
            rows={value.clients}
            rowKey={({ client_id }) => client_id}
            actions={({ client_id, name }) => (
              <Removal
                name={name}
                action="Delete"
                text="All that the application holds is refused from then on."
                done={deletedText(name)}
                list={list}
                id={client_id}
              />
            )}
            empty="There is no application."
          />
        )}
      </Read>
      {isNew && <NewApplication onClose={() => open(false)} onMade={setMade} />}
    </section>
  )
}

const fields: readonly FieldSpec<{ name: string; uris: string; confidential: boolean }>[] = [
  { name: 'name', label: 'Name', required: true, maxLength: 100 },
  { name: 'uris', kind: 'area', label: 'Redirect URIs', hint: 'One a line' },
  {
    name: 'confidential',
    kind: 'check',
    label: 'It can keep a secret,',
    hint: 'as a web server can, and a native or browser application cannot.',
  },
]

type NewProps = { onClose: () => void; onMade: (made: NewClient) => void }

function NewApplication({ onClose, onMade }: NewProps) {
  const form = useForm({
    initial: { name: '', uris: '', confidential: true },
    names: { uris: 'redirect_uris' },
    send: async ({ name, uris, confidential }) => {
      const redirect_uris = uris.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
      const made = await send<NewClient>('POST', list, { body: { name, redirect_uris, confidential } })
      invalidate(list)
      return made
    },
    done: 'Registered.',
    next: (made) => {
      onMade(made)
      onClose()
    },
  })
  return (
    <FormDialog of={form} title="New application" action="Register" onClose={onClose}>
      <Fields of={fields} form={form} />
    </FormDialog>
  )
}
