import type { Periods } from '../../api/history.ts'
import { ofSlo } from '../../api/live-reads.ts'
import type { Slo } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { formatSli } from '../../format.ts'
import { usedShareWords } from '../../slo/budget-words.ts'
import { Pager, usePage } from '../../ui/pager.tsx'
import { Read } from '../../ui/read.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { periodName, resultWords } from './period-words.ts'

type Period = Periods['periods'][number]

const columns: Column<Period>[] = [
  { head: 'Period', cell: periodName },
  { head: 'SLI', isNumber: true, cell: ({ sli, target }) => (sli === null ? '–' : `${formatSli(sli, target)}\u2009%`) },
  { head: 'Budget', isNumber: true, cell: ({ percentage_used: used }) => (used === null ? '–' : usedShareWords(used)) },
  { head: 'Target', cell: resultWords },
]

/** Calendar periods of an SLO that have ended, newest first. */
export function PastPeriods({ slo }: { slo: Slo }) {
  const page = usePage()
  const periods = useRead<Periods>(`/slos/${slo.id}/periods?page=${page}&page_size=12`, { live: ofSlo(slo.id) })
  return (
    <section class="card section">
      <h2>Past {slo.time_window}s</h2>
      <Read of={periods} heightPx={120}>
        {(value) => (
          <>
            <Table
              columns={columns}
              rows={value.periods}
              rowKey={({ ends_at, time_window, time_zone }) => `${ends_at} ${time_window} ${time_zone}`}
              empty="A period is shown here a quarter of an hour after its end, and does not change any more."
            />
            <Pager of={value} what="periods" />
          </>
        )}
      </Read>
    </section>
  )
}
