import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { SilenceRow } from '../../db/tables/tables.ts'
import { inTurns, type Steps } from '../../concurrency/steps.ts'
import { invalid } from '../../errors.ts'
import { listSilencesDuring } from '../silences/silence-store.ts'
import { createSilenceIndex } from '../silences/silenced.ts'
import {
  type AlertFilter,
  type AlertNotification,
  listNewestAlerts,
  type ListedAlert,
  listNotificationsOf,
} from './alert-list-store.ts'

const maxAlerts = 500
const usualMs = 7 * 86_400_000

export type AlertTimeline = {
  startMs: number
  endMs: number
  /** Those beyond the newest 500 too. */
  total: number
  alerts: ListedAlert[]
  notifications: AlertNotification[]
  silences: SilenceRow[]
  /** By silence, the SLOs of these alerts that it covers. */
  covered: ReadonlyMap<number, number[]>
}

/** The alerts that pass a filter and fired at some time of a range, newest first, with what was sent and silenced. */
export async function readAlertTimeline(
  { db, clock }: { db: Database; clock: Clock },
  organizationId: number,
  filter: AlertFilter,
): Promise<AlertTimeline> {
  const endMs = filter.endMs ?? clock.now()
  const startMs = filter.startMs ?? endMs - usualMs
  if (startMs >= endMs) throw invalid('start', 'must be before the end')
  const range = { ...filter, startMs, endMs }
  const { rows: alerts, total } = await listNewestAlerts(db.read, organizationId, range, maxAlerts)
  const ids = alerts.map(({ id }) => id)
  const silences = await listSilencesDuring(db.read, organizationId, startMs, endMs)
  return {
    startMs,
    endMs,
    total,
    alerts,
    notifications: ids.length > 0 ? await listNotificationsOf(db.read, ids) : [],
    silences,
    covered: await inTurns(organizationId, findCovered(alerts, silences)),
  }
}

function* findCovered(alerts: ListedAlert[], silences: SilenceRow[]): Steps<Map<number, number[]>> {
  const covered = new Map<number, number[]>()
  const index = createSilenceIndex(silences)
  for (const { slo_id: id, organization_id, labels } of new Map(
    alerts.map((alert) => [alert.slo_id, alert]),
  ).values()) {
    if (id === null || labels === null) continue
    for (const silence of index.covering({ id, organization_id, labels }))
      covered.getOrInsertComputed(silence.id, () => []).push(id)
    yield
  }
  return covered
}
