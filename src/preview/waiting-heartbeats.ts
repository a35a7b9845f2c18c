import { probesReadBy, type ProbeStatus } from '../evaluation/outage.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import type { Sli } from '../sli/sli.ts'

/** Lists the heartbeats of an organization. `isWaiting`: nothing has been reported yet. */
export type ListedHeartbeats = {
  listOf(organizationId: number): ({ name: string; isWaiting: boolean } & Pick<ProbeStatus, 'labels' | 'metrics'>)[]
}

/**
 * Explains why an SLI that reads heartbeats has no data yet, as in "sync waits for its first report". Null if it has data, or if it
 * reads no existing heartbeat.
 */
export function waitingMessageOf(
  heartbeats: ListedHeartbeats,
  organizationId: number,
  { probes }: SliPlan,
  sli: Sli,
): string | null {
  if (!probes || !('reason' in sli) || (sli.reason !== 'no_data' && sli.reason !== 'no_traffic')) return null
  const probesRead = probesReadBy(probes, heartbeats.listOf(organizationId))
  const [first] = probesRead
  if (!first) return null
  const waiting = probesRead.find(({ isWaiting }) => isWaiting)
  if (!waiting) return `There is nothing yet: no run of ${first.name} was decided in the window.`
  return `There is nothing yet: ${waiting.name} waits for its first report, and counts runs from then on.`
}
