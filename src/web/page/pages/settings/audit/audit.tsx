import { field, id as idField, oneOf, page, text, useAddress } from '../../../address/fields.ts'
import { sendAuthorized } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { save } from '../../../charts/figure.tsx'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import type { AuditEntry, AuditPage, UserList } from '../types.ts'
import { auditQuery, detailLines, eventLabel, events } from './entries.ts'

const day = field((value) => (/^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined), '')

const fields = {
  event: oneOf(events, ''),
  outcome: oneOf(['success', 'failure'], ''),
  person: idField,
  object: text,
  from: day,
  to: day,
  page,
}

const columns: Column<AuditEntry>[] = [
  { head: 'Action', cell: ({ event }) => eventLabel(event) },
  { head: 'Time', cell: ({ created_at }) => <Time ms={Date.parse(created_at)} exact /> },
  { head: 'Person', cell: ({ email }) => email ?? '–' },
  { head: 'Address', cell: ({ ip, user_agent }) => <span title={user_agent}>{ip}</span> },
  { head: 'Outcome', cell: ({ outcome }) => (outcome === 'success' ? 'Done' : 'Refused') },
  { head: 'Details', cell: ({ details }) => detailLines(details).map((line) => <div key={line}>{line}</div>) },
]

/** Audit log of the organization, with export. Its filters are part of the page address. */
export function Audit() {
  const { fields: filter, go } = useAddress(fields)
  const query = auditQuery(filter)
  const entries = useRead<AuditPage>(`/audit-log?${query}&page=${filter.page}&page_size=50`)
  const people = useRead<UserList>('/organization/users?page_size=100')
  const set = (change: Partial<typeof filter>) => go({ ...change, page: 1 }, { replace: true })
  return (
    <section class="card section" aria-label="Audit log">
      <div class="split">
        <h2>Audit log</h2>
        <div class="cluster">
          <Export format="csv" query={query} />
          <Export format="jsonl" query={query} />
        </div>
      </div>
      <div class="grid filters">
        <SelectField
          label="Action"
          value={filter.event}
          options={[['', 'All'], ...events.map((event) => [event, eventLabel(event)] as const)]}
          onValue={(event) => set({ event })}
        />
        <SelectField
          label="Person"
          value={filter.person}
          options={[
            ['', 'All'],
            ...(people.value.value?.users ?? []).map(({ id, name }) => [String(id), name] as const),
          ]}
          onValue={(person) => set({ person })}
        />
        <TextField
          label="Object"
          placeholder="Name or number"
          value={filter.object}
          problem={undefined}
          onValue={(object) => set({ object })}
        />
        <SelectField
          label="Outcome"
          value={filter.outcome}
          options={[
            ['', 'All'],
            ['success', 'Done'],
            ['failure', 'Refused'],
          ]}
          onValue={(outcome) => set({ outcome })}
        />
        <TextField
          label="From (UTC)"
          type="date"
          value={filter.from}
          problem={undefined}
          onValue={(from) => set({ from })}
        />
        <TextField
          label="Until (UTC)"
          type="date"
          value={filter.to}
          problem={undefined}
          onValue={(to) => set({ to })}
        />
      </div>
      <Read of={entries} heightPx={240}>
        {(value) => (
          <Table
            caption="Audit log"
            columns={columns}
            rows={value.entries}
            rowKey={({ id }) => id}
            empty="No matching entries."
            pager={{ of: value, what: 'the audit log' }}
          />
        )}
      </Read>
    </section>
  )
}

function Export({ format, query }: { format: 'csv' | 'jsonl'; query: string }) {
  const saving = useAction(
    async () =>
      save(
        await (await sendAuthorized('GET', `/audit-log?${query}&format=${format}`, {})).blob(),
        '', // the blob has its type
        `audit-log.${format}`,
      ),
    { failed: 'The audit log is not exported.' },
  )
  return (
    <Button small icon="download" isBusy={saving.isBusy} onClick={() => saving.run()}>
      {format === 'csv' ? 'CSV' : 'JSON lines'}
    </Button>
  )
}
