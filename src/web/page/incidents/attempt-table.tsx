import type { Attempts } from '../api/history.ts'
import { formatTook } from '../format.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { outcomeWords } from './words.ts'

const columns: Column<Attempts['attempts'][number]>[] = [
  { head: 'Attempt', cell: ({ attempted_at }) => <Time ms={Date.parse(attempted_at)} /> },
  {
    head: 'Outcome',
    cell: (attempt) => <div class={attempt.error === null ? undefined : 'crit-text'}>{outcomeWords(attempt)}</div>,
  },
  { head: 'Took', isNumber: true, cell: ({ duration_ms }) => formatTook(duration_ms) },
]

/** Attempts to deliver a notification, with the receiver's answer. */
export function AttemptTable({ of }: { of: Attempts['attempts'] }) {
  return <Table class="attempts" caption="Attempts" columns={columns} rows={of} rowKey={({ id }) => id} />
}
