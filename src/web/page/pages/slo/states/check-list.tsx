import type { Checks } from '../../../api/types.ts'
import type { Resource } from '../../../api/resource.ts'
import { formatTook } from '../../../format.ts'
import { Status } from '../../../ui/status.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { nextAtWords } from './words.ts'

/** Checks of the probes, and runs of the heartbeats, that an SLO reads, newest first. */
export function CheckList({ of }: { of: Resource<Checks> }) {
  const read = of.value.value
  if (!read) return null
  const { checks } = read
  const hasSeveral = new Set(checks.map(({ probe }) => probe)).size > 1
  return (
    <section class="card section">
      <div class="split">
        <h2>Checks</h2>
        <p class="muted">{nextAtWords(<Time ms={Date.parse(read.next_at ?? '')} exact />)}</p>
      </div>
      <Table
        class="checks"
        columns={hasSeveral ? columns : columns.filter(({ head }) => head !== 'Check')}
        rows={checks}
        rowKey={({ probe, at }) => `${probe} ${at}`}
        empty="None has run yet."
      />
    </section>
  )
}

const columns: Column<Checks['checks'][number]>[] = [
  { head: 'Time', cell: ({ at }) => <Time ms={Date.parse(at)} exact /> },
  { head: 'Check', cell: ({ probe }) => probe },
  { head: 'Result', cell: ({ ok }) => <Status state={ok ? 'healthy' : 'critical'} word={ok ? 'Good' : 'Failed'} /> },
  { head: 'Took', isNumber: true, cell: ({ duration_ms }) => (duration_ms === null ? '–' : formatTook(duration_ms)) },
  { head: 'Reason', cell: ({ error }) => error ?? '–' },
]
