import type { Database } from '../db/open.ts'
import { probeRows, targetRows } from './collection/collected-store.ts'
import { parseSeriesLabels } from './collection/fields.ts'
import { instanceOf, targetLabels } from './collection/series/target-labels.ts'
import type { Label } from './exposition/sample.ts'
import type { Heartbeats } from './heartbeats/keeper.ts'

/** Labels of the series of a target, probe or heartbeat. `metrics`: names of the metrics that SLIs read as checks; absent: none. */
type Collected = { labels: readonly Label[]; metrics?: readonly string[] }

type Reader = (organizationId: number, id: number) => Promise<Collected>

/** Readers of the series labels of targets, probes and heartbeats, also of paused ones. They throw `not_found`. */
export function createCollected({
  db,
  heartbeats,
}: {
  db: Pick<Database, 'read'>
  heartbeats: Pick<Heartbeats, 'checkOf'>
}): Record<'target' | 'probe' | 'heartbeat', Reader> {
  return {
    heartbeat: heartbeats.checkOf,
    async probe(organizationId, id) {
      const row = await probeRows.get(db.read, organizationId, id)
      return {
        labels: targetLabels({ ...row, labels: parseSeriesLabels(row) }, row.target),
        metrics: ['probe_success'],
      }
    },
    async target(organizationId, id) {
      const row = await targetRows.get(db.read, organizationId, id)
      return { labels: targetLabels({ ...row, labels: parseSeriesLabels(row) }, instanceOf(row.url)) }
    },
  }
}
