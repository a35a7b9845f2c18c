import { useRead } from '../../../api/use-read.ts'
import { formatNumber } from '../../../format.ts'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import type { QuotaList } from '../types.ts'
import { quotaLabel, shareUsed } from './words.ts'

const columns: Column<QuotaList['quotas'][number]>[] = [
  { head: 'Quota', cell: ({ name }) => quotaLabel(name) },
  { head: 'Used', isNumber: true, cell: ({ used }) => formatNumber(used) },
  { head: 'At most', isNumber: true, cell: ({ limit }) => formatNumber(limit) },
  { head: 'Share', isNumber: true, cell: shareUsed },
  { head: 'Setting', cell: ({ name }) => <code>{`QUOTA_${name.toUpperCase()}`}</code> },
]

/** Quotas of the organization and their use. */
export function Quotas() {
  const quotas = useRead<QuotaList>('/organization/quotas')
  return (
    <section class="card section" aria-label="Quotas">
      <h2>Quotas</h2>
      <p class="hint">Beyond them a request is refused. The settings of the instance say how much there may be.</p>
      <Read of={quotas} heightPx={240}>
        {(value) => <Table caption="Quotas" columns={columns} rows={value.quotas} rowKey={({ name }) => name} />}
      </Read>
    </section>
  )
}
