import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { nowMs, Time } from '../../../ui/time.tsx'
import { Removal } from '../parts/removal.tsx'
import { Secret } from '../../../ui/secret.tsx'
import type { ApiToken, ApiTokenList, CreatedApiToken } from '../types.ts'
import { revokedText, roleLabels, roleOptions } from '../words.ts'
import { tokenLabel } from './words.ts'

const list = '/auth/tokens'

const columns: Column<ApiToken>[] = [
  { head: 'Token', cell: ({ name }) => name },
  { head: 'Role', cell: ({ role }) => roleLabels[role] ?? role },
  { head: 'May', cell: ({ scope }) => scopeLabels[scope ?? ''] ?? scope },
  { head: 'Made by', cell: ({ created_by_name }) => created_by_name },
  { head: 'Expires', cell: ({ expires_at }) => (expires_at === null ? 'Never' : <Time ms={Date.parse(expires_at)} />) },
  {
    head: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time ms={Date.parse(last_used_at)} />),
  },
]

const scopeLabels: Readonly<Record<string, string>> = {
  '': 'All that its role may',
  ingest: 'Send samples',
  annotate: 'Write annotations',
}

/** API tokens that the person may see: their own, or for administrators those of the organization. */
export function ApiTokens() {
  const tokens = useRead<ApiTokenList>(list)
  const [isNew, open] = useState(false)
  const [made, setMade] = useState<CreatedApiToken>()
  return (
    <section class="card section" aria-label="API tokens">
      <div class="split">
        <h2>API tokens</h2>
        <Button small icon="plus" onClick={() => open(true)}>
          New token
        </Button>
      </div>
      {made && <Secret label={tokenLabel(made.name)} text={made.token} of="the token" />}
      <Read of={tokens} heightPx={120}>
        {(value) => (
          <Table
            caption="API tokens"
            columns={columns}
            rows={value.tokens}
            rowKey={({ id }) => id}
            actions={({ id, name }) => (
              <Removal
                name={name}
                action="Revoke"
                text="It is refused from the next request on."
                done={revokedText(name)}
                list={list}
                id={id}
              />
            )}
            empty="There is no API token."
          />
        )}
      </Read>
      {isNew && <NewToken onClose={() => open(false)} onMade={setMade} />}
    </section>
  )
}

const daysOptions = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Never'],
] as const
const dayMs = 86_400_000

type NewProps = { onClose: () => void; onMade: (made: CreatedApiToken) => void }

function NewToken({ onClose, onMade }: NewProps) {
  const roles = roleOptions.slice(whyNot('edit') ? 2 : whyNot('administer') ? 1 : 0)
  const fields: readonly FieldSpec<{ name: string; role: string; scope: string; days: string }>[] = [
    { name: 'name', label: 'Name', hint: 'Where it is used', required: true, maxLength: 200 },
    { name: 'role', kind: 'select', label: 'Role', options: roles },
    { name: 'scope', kind: 'select', label: 'May', options: Object.entries(scopeLabels) },
    { name: 'days', kind: 'select', label: 'Expires after', options: daysOptions },
  ]
  const form = useForm({
    initial: { name: '', role: roles.at(-1)?.[0] ?? 'viewer', scope: '', days: '90' },
    names: { days: 'expires_at' },
    send: async ({ name, role, scope, days }) => {
      const expires_at = days === '' ? null : new Date(nowMs.peek() + Number(days) * dayMs).toISOString()
      const body = { name, role, scope: scope === '' ? null : scope, expires_at }
      const made = await send<CreatedApiToken>('POST', list, { body })
      invalidate(list)
      return made
    },
    next: (made) => {
      onMade(made)
      onClose()
    },
  })
  return (
    <FormDialog of={form} title="New API token" action="Create" onClose={onClose}>
      <Fields of={fields} form={form} />
    </FormDialog>
  )
}
