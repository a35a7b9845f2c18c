import { ofIncidents } from '../../../api/live-reads.ts'
import type { Alerts } from '../../../api/history.ts'
import { useRead } from '../../../api/use-read.ts'
import { ResolvedAlerts, FiringAlerts } from '../../../incidents/alert-table.tsx'
import { formatWindow } from '../../../format.ts'
import { Read } from '../../../ui/read.tsx'
import { currentMinuteMs } from '../../../ui/time.tsx'
import { endedCaption, endedTitle, newestOf } from './words.ts'
import { filterQuery, type IncidentsView, startOf } from '../view.ts'

const list = '/notifications/alerts?incident=none&include=notifications'

/** Path of the firing alerts that belong to no incident. */
export const otherFiring = `${list}&page_size=100`

/** Alerts that belong to no incident: of budget and target, of certificates, and of nines itself; firing ones, then those of a time range. */
export function OtherAlerts({ view }: { view: IncidentsView }) {
  const startMs = startOf(view.range, currentMinuteMs.value)
  const { page } = view
  const filter = filterQuery(view)
  const rangeQuery = `start=${new Date(startMs).toISOString()}${filter}`
  const live = ofIncidents()
  const firing = useRead<Alerts>(`${otherFiring}${filter}`, { live })
  const ended = useRead<Alerts>(`${list}&state=ended&${rangeQuery}&page_size=20${page === 1 ? '' : `&page=${page}`}`, {
    live,
  })
  const window = formatWindow(view.range)
  return (
    <>
      <section class="card section" aria-labelledby="firing-now">
        <h2 id="firing-now">Firing now</h2>
        <p class="muted">
          Budgets that run low, SLOs below their target, certificates to renew, and what is wrong with nines itself.
          They are no incident by themselves.
        </p>
        <Read of={firing} heightPx={88}>
          {({ alerts, total }) => (
            <>
              <FiringAlerts
                alerts={alerts}
                caption="Alerts without an incident that fire now"
                empty="None fires."
                ofMany
              />
              {total > alerts.length && <p class="muted">{newestOf(alerts.length, total)}</p>}
            </>
          )}
        </Read>
      </section>
      <section class="card section" aria-labelledby="ended">
        <h2 id="ended">{endedTitle(window)}</h2>
        <Read of={ended} heightPx={240}>
          {(value) => (
            <ResolvedAlerts
              alerts={value.alerts}
              caption={endedCaption(window)}
              empty="None has ended in this time."
              pager={{ of: value, what: 'alerts' }}
              ofMany
            />
          )}
        </Read>
      </section>
    </>
  )
}
