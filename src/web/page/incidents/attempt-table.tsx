import type { Attempts } from '../api/history.ts'
import { asSentence, formatTook } from '../format.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

const outcomes: Record<string, string> = {
  delivered: 'Delivered',
  sent: 'Taken by a relay',
  retry: 'Failed, tried again',
  failed: 'Failed',
}

const columns: Column<Attempts['attempts'][number]>[] = [
  { head: 'Attempt', cell: ({ attempted_at }) => <Time ms={Date.parse(attempted_at)} /> },
  {
    head: 'Outcome',
    cell: ({ outcome, status_code, error }) => (
      <div class={error === null ? undefined : 'crit-text'}>
        {outcomes[outcome] ?? outcome}
        {error === null ? status_code !== null && ` (${status_code})` : `: ${asSentence(error)}`}
      </div>
    ),
  },
  { head: 'Took', isNumber: true, cell: ({ duration_ms }) => formatTook(duration_ms) },
]

/** Attempts to deliver a notification, with the receiver's answer. */
export function AttemptTable({ of }: { of: Attempts['attempts'] }) {
  return <Table class="attempts" caption="Attempts" columns={columns} rows={of} rowKey={({ id }) => id} />
}
