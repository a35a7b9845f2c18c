import { useEffect, useMemo } from 'preact/hooks'
import type { Alerts } from '../../api/history.ts'
import { firingAlerts } from '../../api/firing.ts'
import { onMessage } from '../../api/live.ts'
import { resource, use } from '../../api/resource.ts'
import type { Overview } from '../../api/types.ts'
import { now } from '../../clock.ts'
import { formatNumber } from '../../format.ts'

const path = '/notifications/alerts?page_size=1'
const timeoutMs = 3000 // requests of the page come first
const minMs = 5000
const roundMs = 30_000

/**
 * Number of firing alerts, from the newer of the alerts page's data and its own request; from the overview until one of them is
 * read.
 */
export function FiringCount() {
  const { counted, listed, overview } = useMemo(
    () => ({
      counted: resource<Alerts>(path),
      listed: resource<Alerts>(firingAlerts),
      overview: resource<Overview>('/slos/overview'),
    }),
    [],
  )
  useEffect(() => {
    const release = use(counted)
    counted.readSoon(timeoutMs)
    const end = onMessage(({ kind }) => {
      const minBetween = kind === 'slo' ? roundMs : minMs
      counted.readSoon(Math.max(timeoutMs, counted.readAtMs.peek() + minBetween - now()))
    })
    return () => {
      end()
      release()
    }
  }, [counted])
  const known = [
    { atMs: counted.readAtMs.value, count: counted.value.value?.total },
    { atMs: listed.readAtMs.value, count: listed.value.value?.total },
  ].filter(({ count }) => count !== undefined)
  // without alerts of nines itself
  const inOverview = overview.value.value?.slos.reduce((sum, { firing }) => sum + firing.length, 0)
  const count = known.toSorted((a, b) => b.atMs - a.atMs)[0]?.count ?? inOverview ?? 0
  if (count === 0) return null
  return (
    <b class="badge">
      {formatNumber(count)}
      <span class="hidden-text"> firing</span>
    </b>
  )
}
