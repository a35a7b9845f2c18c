import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNotInvite } from '../../../api/rights.ts'
import type { Invitation } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Removal } from '../parts/removal.tsx'
import { Secret } from '../../../ui/secret.tsx'
import type { InvitationList, ListedInvitation } from '../types.ts'
import { roleLabels, roleOptions } from '../words.ts'
import { invitationRevokedText, linkLabel } from './words.ts'

const list = '/organization/invitations'

const columns: Column<ListedInvitation>[] = [
  { head: 'E-mail', cell: ({ email }) => email },
  { head: 'Role', cell: ({ role }) => roleLabels[role] ?? role },
  { head: 'Invited by', cell: ({ invited_by_name }) => invited_by_name ?? '–' },
  { head: 'Expires', cell: ({ expires_at }) => <Time ms={Date.parse(expires_at)} /> },
]

const fields: readonly FieldSpec<{ email: string; role: string }>[] = [
  { name: 'email', label: 'E-mail', type: 'email', required: true, autocomplete: 'off' },
  { name: 'role', kind: 'select', label: 'Role', options: roleOptions },
]

/** Open invitations, and a form that makes one. */
export function Invitations() {
  const invitations = useRead<InvitationList>(`${list}?page_size=100`)
  const [made, setMade] = useState<Invitation>()
  const form = useForm({
    initial: { email: '', role: 'member' },
    send: async (body) => {
      const invitation = await send<Invitation>('POST', list, { body })
      invalidate(list)
      return invitation
    },
    next: (invitation) => {
      setMade(invitation)
      form.set({ email: '' })
    },
  })
  return (
    <section class="card section" aria-label="Invitations">
      <h2>Invitations</h2>
      <Form of={form} class="form" action="Invite" unavailable={whyNotInvite()}>
        <Fields of={fields} form={form} />
      </Form>
      {made && <Secret label={linkLabel(made)} text={made.link} of="the link" />}
      <Read of={invitations} heightPx={80}>
        {(value) => (
          <Table
            caption="Open invitations"
            columns={columns}
            rows={value.invitations}
            rowKey={({ id }) => id}
            actions={({ id, email }) => (
              <Removal
                name={email}
                action="Revoke"
                text="The link is refused from then on."
                done={invitationRevokedText(email)}
                list={list}
                id={id}
              />
            )}
            empty="No invitation is open."
          />
        )}
      </Read>
    </section>
  )
}
