import { type Clock, dayMs } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { SilenceRow } from '../../db/tables/tables.ts'
import { inChunks } from '../../concurrency/chunks.ts'
import { type AsyncCooperativeTask, runCooperatively, awaitStep } from '../../concurrency/cooperative.ts'
import { invalid } from '../../errors.ts'
import { listSlosToMatch, listSilencesDuring } from '../silences/silence-store.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import {
  type AlertFilter,
  type AlertNotification,
  listNewestAlerts,
  type NewestAlert,
  listNotificationsOf,
} from './alert-list-store.ts'

const maxAlerts = 500
const usualMs = 7 * dayMs

export type AlertTimeline = {
  startMs: number
  endMs: number
  /** Counts the alerts beyond the newest 500 too. */
  total: number
  alerts: NewestAlert[]
  notifications: AlertNotification[]
  silences: SilenceRow[]
  /** SLOs of these alerts that each silence covers, by silence id. */
  covered: ReadonlyMap<number, number[]>
}

/** Alerts that match a filter and fired in a range (default: 7 days), newest first, with notifications and silences. */
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
    covered: await runCooperatively(organizationId, findCovered(db.read, alerts, silences)),
  }
}

const slosPerBatch = 50 // with labels of at most 20 kB each

function* findCovered(
  db: Db,
  alerts: NewestAlert[],
  silences: SilenceRow[],
): AsyncCooperativeTask<Map<number, number[]>> {
  const covered = new Map<number, number[]>()
  const index = createSilenceIndex(silences)
  const ids = [...new Set(alerts.flatMap(({ slo_id }) => slo_id ?? []))]
  for (const chunk of silences.length > 0 ? inChunks(ids, slosPerBatch) : []) {
    const slos = new Map((yield* awaitStep(listSlosToMatch(db, chunk))).map((slo) => [slo.id, slo]))
    for (const id of chunk) {
      const slo = slos.get(id)
      for (const silence of slo ? index.covering(slo) : []) covered.getOrInsertComputed(silence.id, () => []).push(id)
      yield
    }
  }
  return covered
}
