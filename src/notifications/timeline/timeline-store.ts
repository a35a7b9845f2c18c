import { type Clock, dayMs } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { AlertRow, AnnotationRow, CorrectionRow, SilenceRow, SloRow } from '../../db/tables/tables.ts'
import { createYielder } from '../../concurrency/yielder.ts'
import { invalid } from '../../errors.ts'
import { listSilencesDuring } from '../silences/silence-store.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import { ownWindow } from '../../slos/arithmetic/own-window.ts'
import { listAnnotations } from '../../slos/annotations/store.ts'
import { type Change, listChanges } from '../../slos/changes/store.ts'
import { createMatcher, ruleOf } from '../../slos/corrections/matching.ts'
import { excludedSpans } from '../../slos/corrections/rules.ts'
import type { TimeSpan } from '../../slos/corrections/spans.ts'
import { listCorrectionsIn } from '../../slos/corrections/store.ts'
import { getSlo } from '../../slos/store.ts'

/** Time that a correction excludes. */
export type ExcludedTime = Pick<CorrectionRow, 'id' | 'category' | 'text'> & TimeSpan

/** Alerts, silences, changes, annotations and excluded times of an SLO from `startMs` to `endMs`, newest first, at most 500 of each. */
export type Timeline = {
  slo: SloRow
  startMs: number
  endMs: number
  alerts: AlertRow[]
  silences: SilenceRow[]
  changes: Change[]
  annotations: AnnotationRow[]
  corrections: ExcludedTime[]
}

const maxOfAKind = 500

/**
 * Reads the alerts and silences that overlap a range, and the changes made in it. Without times: the SLO's own window up to
 * now. Throws `invalid` if the start is not before the end.
 */
export async function readTimeline(
  { db, clock }: { db: Database; clock: Clock },
  organizationId: number,
  sloId: number,
  range: { startMs?: number | undefined; endMs?: number | undefined },
): Promise<Timeline> {
  const slo = await getSlo(db.read, organizationId, sloId)
  const endMs = range.endMs ?? clock.now()
  const startMs = range.startMs ?? 1000 * ownWindow(slo, Math.floor(endMs / 1000)).startSeconds
  if (startMs >= endMs) throw invalid('start', 'must be before the end')
  const changes = await listChanges(db.read, slo.id, { sinceMs: startMs, page: 1, pageSize: maxOfAKind })
  const annotationOptions = { slo, startMs, endMs, page: 1, pageSize: maxOfAKind }
  return {
    slo,
    startMs,
    endMs,
    alerts: await listAlertsIn(db.read, slo, startMs / 1000, endMs / 1000),
    silences: createSilenceIndex(await listSilencesDuring(db.read, organizationId, startMs, endMs, slo.id)).covering(
      slo,
    ),
    changes: changes.rows.filter(({ changed_at }) => changed_at < endMs),
    annotations: (await listAnnotations(db.read, organizationId, annotationOptions)).rows,
    corrections: await listExcludedTimes(db.read, slo, searchedWindow(startMs, endMs, clock.now())),
  }
}

const maxAheadMs = 366 * dayMs
const maxSearchedMs = 400 * dayMs

/**
 * Part of a range in which times of corrections are searched: its last 400 days up to a year ahead, since a recurring correction has no
 * end.
 */
function searchedWindow(startMs: number, endMs: number, nowMs: number): TimeSpan {
  const lastMs = Math.min(endMs, nowMs + maxAheadMs)
  return {
    startSeconds: Math.floor(Math.max(startMs, lastMs - maxSearchedMs) / 1000),
    endSeconds: Math.ceil(lastMs / 1000),
  }
}

/** Excluded times in the window, of the newest corrections that cover the SLO. Yields to the event loop. */
async function listExcludedTimes(db: Db, slo: SloRow, window: TimeSpan): Promise<ExcludedTime[]> {
  const times: ExcludedTime[] = []
  const yielder = createYielder(1)
  for (const correction of await listCorrectionsIn(db, slo.organization_id, window)) {
    if (times.length >= maxOfAKind) break
    if (yielder.isDue()) await yielder.next()
    if (!createMatcher(correction)(slo)) continue
    const { id, category, text } = correction
    for (const span of excludedSpans([ruleOf(correction)], window)) times.push({ id, category, text, ...span })
  }
  return times.toSorted((a, b) => b.startSeconds - a.startSeconds).slice(0, maxOfAKind)
}

function listAlertsIn(db: Db, { id }: SloRow, startSeconds: number, endSeconds: number): Promise<AlertRow[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .where('slo_id', '=', id)
    .where('began_at', '<', endSeconds)
    .where((is) => is.or([is('ended_at', 'is', null), is('ended_at', '>', startSeconds)]))
    .orderBy('id', 'desc')
    .limit(maxOfAKind)
    .execute()
}
