import { whyNot } from '../../api/rights.ts'
import type { SloList } from '../../api/types.ts'
import { useResource } from '../../api/use-resource.ts'
import { link } from '../../address/base.ts'
import { countOf, restoreAll } from '../../slo/bulk-change.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Pager, usePage } from '../../ui/pager.tsx'
import { Read } from '../../ui/read.tsx'
import { Time } from '../../ui/time.tsx'

/** Deleted SLOs, which can be restored. `isAsked`: the filter asks for them; otherwise nothing is shown while there are none. */
export function DeletedSlos({ isAsked }: { isAsked: boolean }) {
  const list = useResource<SloList>(`/slos?active=false&page_size=50&page=${usePage()}`)
  if (!isAsked && !list.value.value?.total) return null
  return (
    <section class="card section" aria-labelledby="deleted">
      <h2 id="deleted">Deleted</h2>
      <Read of={list} heightPx={44}>
        {(value) =>
          value.total === 0 ? (
            <p class="muted">No SLO is deleted.</p>
          ) : (
            <>
              <table class="rows deleted-slos">
                <caption class="hidden-text">{countOf(value.total)} that can be restored</caption>
                <thead>
                  <tr>
                    <th scope="col">SLO</th>
                    <th scope="col">Deleted</th>
                    <th scope="col">
                      <span class="hidden-text">What to do</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {value.slos.map((slo) => (
                    <DeletedSlo key={slo.id} slo={slo} />
                  ))}
                </tbody>
              </table>
              <Pager of={value} what="deleted SLOs" />
            </>
          )
        }
      </Read>
    </section>
  )
}

function DeletedSlo({ slo }: { slo: SloList['slos'][number] }) {
  const { run, isBusy } = useAction(() => restoreAll([slo]))
  return (
    <tr>
      <th scope="row">
        <a href={link(`/slos/${slo.id}`)}>{slo.name}</a>
      </th>
      <td data-label="Deleted">
        <Time ms={Date.parse(slo.updated_at)} />
      </td>
      <td class="row-actions">
        <Button
          small
          icon="undo-2"
          aria-label={`Restore ${slo.name}`}
          unavailable={whyNot('edit')}
          isBusy={isBusy}
          onClick={run}
        >
          Restore
        </Button>
      </td>
    </tr>
  )
}
