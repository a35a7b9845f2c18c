import { whyNot } from '../../api/rights.ts'
import type { SloList } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { link } from '../../address/base.ts'
import { restoreAll } from '../../slo/bulk-change.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { usePage } from '../../ui/pager.tsx'
import { Read } from '../../ui/read.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { deletedCaption, restoreLabel } from './words.ts'

/** Deleted SLOs, which can be restored. `isAsked`: the filter asks for them; otherwise nothing is shown while there are none. */
export function DeletedSlos({ isAsked }: { isAsked: boolean }) {
  const list = useRead<SloList>(`/slos?active=false&page_size=50&page=${usePage()}`)
  if (!isAsked && !list.value.value?.total) return null
  return (
    <section class="card section" aria-labelledby="deleted">
      <h2 id="deleted">Deleted</h2>
      <Read of={list} heightPx={44}>
        {(value) => (
          <Table
            class="deleted-slos"
            caption={deletedCaption(value.total)}
            columns={columns}
            rows={value.slos}
            rowKey={({ id }) => id}
            empty={value.total === 0 && 'No SLO is deleted.'}
            pager={{ of: value, what: 'deleted SLOs' }}
          />
        )}
      </Read>
    </section>
  )
}

type DeletedSlo = SloList['slos'][number]

const columns: Column<DeletedSlo>[] = [
  { head: 'SLO', cell: ({ id, name }) => <a href={link(`/slos/${id}`)}>{name}</a> },
  { head: 'Deleted', cell: ({ updated_at }) => <Time ms={Date.parse(updated_at)} /> },
  { head: 'What to do', isHeadHidden: true, class: 'row-actions', cell: (slo) => <Restore slo={slo} /> },
]

function Restore({ slo }: { slo: DeletedSlo }) {
  const { run, isBusy } = useAction(() => restoreAll([slo]))
  return (
    <Button
      small
      icon="undo-2"
      aria-label={restoreLabel(slo.name)}
      unavailable={whyNot('edit')}
      isBusy={isBusy}
      onClick={run}
    >
      Restore
    </Button>
  )
}
