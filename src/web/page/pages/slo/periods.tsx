import type { Periods } from '../../api/history.ts'
import { send } from '../../api/client.ts'
import { ofSlo } from '../../api/live-reads.ts'
import { invalidate } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import type { Slo } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { formatSli } from '../../format.ts'
import { usedShareWords } from '../../slo/budget-words.ts'
import { useAction } from '../../ui/action.ts'
import { IconButton } from '../../ui/button.tsx'
import { Pager, usePage } from '../../ui/pager.tsx'
import { Read } from '../../ui/read.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useNow } from '../../ui/time.tsx'
import {
  computedText,
  computeLabel,
  notComputedText,
  periodExcludedWords,
  periodName,
  recomputedWords,
  resultWords,
} from './period-words.ts'
import { pastTitle } from './words.ts'

type Period = Periods['periods'][number]

const columns: Column<Period>[] = [
  { head: 'Period', cell: (period) => <Name of={period} /> },
  { head: 'SLI', isNumber: true, cell: ({ sli, target }) => (sli === null ? '–' : `${formatSli(sli, target)}\u2009%`) },
  { head: 'Budget', isNumber: true, cell: ({ percentage_used: used }) => (used === null ? '–' : usedShareWords(used)) },
  { head: 'Target', cell: resultWords },
  { head: 'Left out', cell: periodExcludedWords },
]

function Name({ of }: { of: Period }) {
  const recomputed = useNow((nowMs) => recomputedWords(of, nowMs), [of])
  return (
    <>
      {periodName(of)} <span class="muted">{recomputed}</span>
    </>
  )
}

/** Button that computes a period again with the current corrections. */
function Recompute({ sloId, of }: { sloId: number; of: Period }) {
  const name = periodName(of)
  const path = `/slos/${sloId}/periods`
  const recompute = useAction(() => send('POST', `${path}/${encodeURIComponent(of.starts_at)}/recompute`), {
    done: computedText(name),
    failed: notComputedText(name),
    next: () => invalidate(path),
  })
  return (
    <IconButton
      small
      icon="refresh-cw"
      label={computeLabel(name)}
      isBusy={recompute.isBusy}
      onClick={() => void recompute.run()}
    />
  )
}

/** Calendar periods of an SLO that have ended, newest first. */
export function PastPeriods({ slo }: { slo: Slo }) {
  const page = usePage()
  const canRecompute = whyNot('edit') === undefined && slo.composite === null
  const periods = useRead<Periods>(`/slos/${slo.id}/periods?page=${page}&page_size=12`, { live: ofSlo(slo.id) })
  return (
    <section class="card section">
      <h2>{pastTitle(slo.time_window)}</h2>
      <Read of={periods} heightPx={120}>
        {(value) => (
          <>
            <Table
              columns={columns}
              rows={value.periods}
              rowKey={({ ends_at, time_window, time_zone }) => `${ends_at} ${time_window} ${time_zone}`}
              {...(canRecompute && { actions: (period: Period) => <Recompute sloId={slo.id} of={period} /> })}
              empty="A period is shown here a quarter of an hour after its end, and does not change any more."
            />
            <Pager of={value} what="periods" />
          </>
        )}
      </Read>
    </section>
  )
}
