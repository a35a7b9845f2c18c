import { useEffect, useMemo } from 'preact/hooks'
import type { IncidentList } from '../../api/history.ts'
import { follow, ofIncidentCount } from '../../api/live-reads.ts'
import { resource, use } from '../../api/resource.ts'
import { formatNumber } from '../../format.ts'
import { openIncidentsPath } from './attention.ts'

const firstMs = 3000 // requests of the page come first

/** Number of incidents that are open and not acknowledged. */
export function OpenIncidents() {
  const counted = useMemo(() => resource<IncidentList>(openIncidentsPath), [])
  useEffect(() => {
    const release = use(counted)
    counted.readSoon(firstMs, true) // the title of a hidden tab counts them too
    const end = follow(counted, ofIncidentCount, true)
    return () => {
      end()
      release()
    }
  }, [counted])
  const count = counted.value.value?.open_unacknowledged ?? 0
  if (count === 0) return null
  return (
    <b class="badge">
      {formatNumber(count)}
      <span class="hidden-text"> open, not acknowledged</span>
    </b>
  )
}
