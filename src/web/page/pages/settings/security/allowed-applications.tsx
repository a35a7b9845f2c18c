import { useRead } from '../../../api/use-read.ts'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Removal } from '../parts/removal.tsx'
import type { AllowedApplication, AllowedApplicationList } from '../types.ts'
import { applicationRightText } from './words.ts'
import { revokedText } from '../words.ts'

const list = '/auth/applications'

const columns: Column<AllowedApplication>[] = [
  { head: 'Application', cell: ({ name }) => name },
  { head: 'May', cell: ({ scope }) => applicationRightText(scope) },
  { head: 'Allowed', cell: ({ allowed_at }) => <Time ms={Date.parse(allowed_at)} /> },
  { head: 'Last renewed', cell: ({ renewed_at }) => <Time ms={Date.parse(renewed_at)} /> },
]

/** Applications that the person has allowed to act for them, which can be revoked. */
export function AllowedApplications() {
  const applications = useRead<AllowedApplicationList>(list)
  return (
    <section class="card section" aria-label="Applications that act for you">
      <h2>Applications that act for you</h2>
      <Read of={applications} heightPx={80}>
        {(value) => (
          <Table
            caption="Applications that act for you"
            columns={columns}
            rows={value.applications}
            rowKey={({ client_id }) => client_id}
            actions={({ client_id, name }) => (
              <Removal
                name={name}
                action="Revoke"
                text="It cannot act for you any more, at once. It may ask you again."
                done={revokedText(name)}
                list={list}
                id={client_id}
              />
            )}
            empty="You have allowed no application."
          />
        )}
      </Read>
    </section>
  )
}
