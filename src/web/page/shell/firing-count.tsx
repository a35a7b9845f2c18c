import { useEffect, useMemo } from 'preact/hooks'
import type { Alerts } from '../api/history.ts'
import { hear } from '../api/live.ts'
import { resource, use } from '../api/resource.ts'
import type { Overview } from '../api/types.ts'
import { now } from '../clock.ts'
import { formatNumber } from '../format.ts'

const path = '/notifications/alerts?page_size=1'
const patienceMs = 3000 // what the page itself reads comes first
const leastMs = 5000
const roundMs = 30_000

/** How many alerts fire: as the overview has it where that was read, and soon as the list of alerts counts them. */
export function FiringCount() {
  const { counted, overview } = useMemo(
    () => ({ counted: resource<Alerts>(path), overview: resource<Overview>('/slos/overview') }),
    [],
  )
  useEffect(() => {
    const release = use(path)
    counted.readSoon(patienceMs)
    const end = hear(({ kind }) => {
      const leastBetween = kind === 'slo' ? roundMs : leastMs
      counted.readSoon(Math.max(patienceMs, counted.readAtMs.peek() + leastBetween - now()))
    })
    return () => {
      end()
      release()
    }
  }, [counted])
  const inOverview = overview.value.value?.slos.reduce((sum, { firing }) => sum + firing.length, 0)
  const count = counted.value.value?.total ?? inOverview ?? 0
  if (count === 0) return null
  return (
    <b class="badge">
      {formatNumber(count)}
      <span class="hidden-text"> firing</span>
    </b>
  )
}
