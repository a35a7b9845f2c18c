import { useRead } from '../../../api/use-read.ts'
import { formatBytes, formatNumber } from '../../../format.ts'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import type { OrganizationUses } from '../types.ts'
import { largestSentence } from './words.ts'

const columns: Column<OrganizationUses['organizations'][number]>[] = [
  { head: 'Organization', cell: ({ name }) => <div>{name}</div> },
  { head: 'Samples', isNumber: true, cell: ({ samples_bytes }) => formatBytes(samples_bytes) },
  { head: 'Series', isNumber: true, cell: ({ series }) => formatNumber(series) },
  { head: 'SLOs', isNumber: true, cell: ({ slos }) => formatNumber(slos) },
  { head: 'Cached results', isNumber: true, cell: ({ cache_bytes }) => formatBytes(cache_bytes) },
  { head: 'Cached in memory', isNumber: true, cell: ({ cache_memory_bytes }) => formatBytes(cache_memory_bytes) },
]

/** Memory and disk use of the organizations that use most. Only administrators of the first organization may read it. */
export function Organizations() {
  const uses = useRead<OrganizationUses>('/organization/system/organizations')
  return (
    <section class="card section" aria-label="Organizations">
      <h2>Organizations</h2>
      <Read of={uses} heightPx={160}>
        {({ organizations, organization_count }) => (
          <>
            <Table
              caption="Organizations"
              columns={columns}
              rows={organizations}
              rowKey={({ id }) => id}
              empty="There is no organization."
            />
            {organization_count > organizations.length && (
              <p class="hint">{largestSentence(organizations.length, organization_count)}</p>
            )}
          </>
        )}
      </Read>
    </section>
  )
}
