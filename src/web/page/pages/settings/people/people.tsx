import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { me } from '../../../api/session.ts'
import { useRead } from '../../../api/use-read.ts'
import { attempt } from '../../../ui/action.ts'
import { Pager, usePage } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Removal } from '../parts/removal.tsx'
import type { ListedUser, UserList } from '../types.ts'
import { roleLabels, roleOptions } from '../words.ts'
import { Invitations } from './invitations.tsx'
import { Requirement } from './requirement.tsx'
import {
  leaveText,
  removalText,
  removedText,
  roleChangedText,
  roleLabel,
  roleNotChangedText,
  signedOutText,
  signOutText,
} from './words.ts'

const list = '/organization/users'

const columns: Column<ListedUser>[] = [
  { head: 'Name', cell: ({ name }) => name },
  {
    head: 'E-mail',
    cell: ({ email, email_confirmed }) => (
      <>
        {email} {!email_confirmed && <span class="muted">(not confirmed)</span>}
      </>
    ),
  },
  { head: 'Role', cell: (user) => <Role key={user.role} of={user} /> },
  {
    head: 'Second factor',
    cell: ({ second_factor }) => (second_factor === undefined ? '–' : second_factor ? 'Yes' : 'No'),
  },
  { head: 'Since', cell: ({ created_at }) => <Time ms={Date.parse(created_at)} /> },
]

/** People of the organization with their roles, and for administrators the invitations. */
export function People() {
  const page = usePage()
  const users = useRead<UserList>(`${list}?page=${page}&page_size=50`)
  return (
    <>
      <section class="card section" aria-label="People">
        <h2>People</h2>
        <Read of={users} heightPx={120}>
          {(value) => (
            <>
              <Table
                caption="People"
                columns={whyNot('administer') ? columns.filter(({ head }) => head !== 'Second factor') : columns}
                rows={value.users}
                rowKey={({ id }) => id}
                actions={(user) => <Leaving of={user} />}
              />
              <Pager of={value} what="people" />
            </>
          )}
        </Read>
      </section>
      {!whyNot('administer') && (
        <>
          <Requirement />
          <Invitations />
        </>
      )}
    </>
  )
}

function Leaving({ of: user }: { of: ListedUser }) {
  const { id, name } = user
  const isOwn = id === me.value?.id
  if (!isOwn && whyNot('administer')) return null
  return (
    <>
      {!whyNot('administer') && <SigningOut of={user} />}
      <Removal
        name={name}
        action={isOwn ? 'Leave' : 'Remove'}
        text={isOwn ? leaveText : removalText(name)}
        done={removedText(name)}
        list={list}
        id={id}
      />
    </>
  )
}

/** Button that ends all sessions of a person, after a question. */
function SigningOut({ of: { id, name } }: { of: ListedUser }) {
  return (
    <Removal
      name={name}
      action="Sign out"
      text={signOutText(name)}
      done={signedOutText(name)}
      list={`${list}/${id}`}
      id="sessions"
    />
  )
}

/** Role of a person; for administrators, a select that changes it. */
function Role({ of: { id, name, role } }: { of: ListedUser }) {
  const [chosen, choose] = useState<string>(role)
  if (whyNot('administer')) return <>{roleLabels[role] ?? role}</>
  const change = async (next: string) => {
    choose(next)
    const outcome = await attempt(() => send('PUT', `${list}/${id}`, { body: { role: next } }), {
      done: roleChangedText(name),
      failed: roleNotChangedText(name),
      ended: () => invalidate(list),
    })
    if (!('result' in outcome)) choose(role)
  }
  return (
    <select
      class="input"
      aria-label={roleLabel(name)}
      value={chosen}
      onChange={({ currentTarget }) => void change(currentTarget.value)}
    >
      {roleOptions.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
