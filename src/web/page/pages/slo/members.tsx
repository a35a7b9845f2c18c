import { link } from '../../address/base.ts'
import type { Budget } from '../../api/types.ts'
import { formatSli } from '../../format.ts'
import { memberShareWords, methodSentence } from '../../slo/journey-words.ts'
import { type Column, Table } from '../../ui/table.tsx'

type Composite = NonNullable<Budget['composite']>
type Member = Composite['members'][number]

/** Members of a composite, with their parts in the budget that it used. */
export function Members({ of, target }: { of: Composite; target: number }) {
  const columns: Column<Member>[] = [
    { head: 'SLO', cell: ({ slo_id, name }) => <a href={link(`/slos/${slo_id}`)}>{name}</a> },
    ...(of.method === 'weighted'
      ? [{ head: 'Weight', isNumber: true, cell: ({ weight }: Member) => String(weight) }]
      : []),
    { head: 'SLI', isNumber: true, cell: ({ sli }) => (sli === null ? '–' : `${formatSli(sli, target)}\u2009%`) },
    { head: 'Of the used budget', isNumber: true, cell: memberShareWords },
  ]
  return (
    <section class="card section">
      <h2>Members</h2>
      <p class="muted">{methodSentence(of.method)}.</p>
      <Table columns={columns} rows={of.members} rowKey={({ slo_id }) => slo_id} />
    </section>
  )
}
