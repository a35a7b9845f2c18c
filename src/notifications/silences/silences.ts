import { isoTime, type Clock } from '../../clock.ts'
import { inChunks } from '../../concurrency/chunks.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { type AsyncCooperativeTask, runCooperatively, awaitStep } from '../../concurrency/cooperative.ts'
import { changedFields, recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { SilenceRow, SloRow } from '../../db/tables/tables.ts'
import { AppError, invalid, readAll } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { readZonedTime, zonedTimeText } from '../../http/zoned-time.ts'
import { parseLabels, readLabels } from '../../slos/labels.ts'
import { getActiveSlo, listCurrentRevisions } from '../../slos/store.ts'
import {
  type DescribedSilence,
  maxSilenceSeconds,
  presentInForce,
  type SilenceCreation,
  type SilenceUpdate,
} from './silence-model.ts'
import {
  getSilence,
  insertSilence,
  listSlosToMatch,
  listNamedUnended,
  listSilences,
  updateSilence,
} from './silence-store.ts'
import { createSilenceIndex } from './silence-index.ts'

type Deps = { db: Database; clock: Clock }

/** Silences an SLO, or all SLOs with the given labels. Throws `invalid`, and `not_found` for a missing SLO. */
export async function createSilence(
  { db, clock }: Deps,
  caller: Caller,
  requested: SilenceCreation,
): Promise<DescribedSilence> {
  const nowMs = clock.now()
  const [subject, times] = readAll(
    () => readSubject(requested),
    () => readTimes(requested, nowMs),
  )
  const id = await db.write.transaction().execute(async (trx) => {
    if (subject.slo_id !== null) await getActiveSlo(trx, caller.organizationId, subject.slo_id)
    const row = await insertSilence(trx, {
      ...subject,
      ...times,
      organization_id: caller.organizationId,
      comment: requested.comment,
      created_by: caller.userId,
      created_at: nowMs,
    })
    await recordAudit(trx, caller, { event: 'silence_created', details: detailsOf(row) }, nowMs)
    return row.id
  })
  return getDescribed(db.read, caller.organizationId, id)
}

/** Changes the end or the comment of a silence. Throws `conflict` if it has ended. */
export async function changeSilence(
  { db, clock }: Deps,
  caller: Caller,
  id: number,
  { until, comment }: SilenceUpdate,
): Promise<DescribedSilence> {
  if (until === undefined && comment === undefined) throw invalid('body', 'must have at least one of until and comment')
  await db.write.transaction().execute(async (trx) => {
    const stored = await getSilence(trx, caller.organizationId, id)
    const nowMs = clock.now() // inside the transaction, where changes are ordered
    if (stored.until <= nowMs) {
      throw new AppError('conflict', 'Silence has ended', { details: `until: ${isoTime(stored.until)}` })
    }
    const untilMs = until === undefined ? stored.until : readUntil(until, stored.starts_at, nowMs)
    const change = { until: untilMs, comment: comment ?? stored.comment }
    await updateSilence(trx, caller.organizationId, id, change)
    const changed = changedFields<SilenceRow>(stored, change)
    if (changed.length > 0) {
      const details = { ...detailsOf({ ...stored, ...change }), until_before: isoTime(stored.until), changed }
      await recordAudit(trx, caller, { event: 'silence_changed', details }, nowMs)
    }
  })
  return getDescribed(db.read, caller.organizationId, id)
}

/** Ends a silence now; it stays in the history. A silence that has ended does not change. */
export async function endSilence({ db, clock }: Deps, caller: Caller, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const stored = await getSilence(trx, caller.organizationId, id)
    const nowMs = clock.now() // inside the transaction, where changes are ordered
    if (stored.until <= nowMs) return
    const times = { starts_at: Math.min(stored.starts_at, nowMs), until: nowMs }
    await updateSilence(trx, caller.organizationId, id, times)
    await recordAudit(trx, caller, { event: 'silence_ended', details: detailsOf({ ...stored, ...times }) }, nowMs)
  })
}

export async function getDescribed(db: Db, organizationId: number, id: number): Promise<DescribedSilence> {
  const silence = await getSilence(db, organizationId, id)
  const [slo_count = 0] = await listCounts(db, organizationId, [silence])
  return { ...silence, slo_count }
}

const slosPerBatch = 50 // with labels of at most 20 kB each

/** Counts the active SLOs that each of these silences covers, regardless of its times, by the id of the silence. */
function* countCovered(
  db: Db,
  organizationId: number,
  silences: SilenceRow[],
): AsyncCooperativeTask<ReadonlyMap<number, number>> {
  const active = (yield* awaitStep(listCurrentRevisions(db, organizationId))).map(({ id }) => id)
  const isActive = new Set<number | null>(active)
  const byId = new Map(silences.map((silence) => [silence.id, silence]))
  const counts = new Map(Array.from(byId, ([id, { slo_id }]) => [id, isActive.has(slo_id) ? 1 : 0]))
  const byLabels = [...byId.values()].filter(({ slo_id }) => slo_id === null)
  const index = createSilenceIndex(byLabels)
  for (const ids of byLabels.length > 0 ? inChunks(active, slosPerBatch) : []) {
    for (const slo of yield* awaitStep(listSlosToMatch(db, ids))) {
      for (const { id } of index.covering(slo)) counts.set(id, (counts.get(id) ?? 0) + 1)
      yield
    }
  }
  return counts
}

/** Queue for counting: reading the labels of all SLOs is expensive, so each organization counts one at a time. */
const counting = createFairQueue<number>({ max: 2, maxOfGroup: 1 })

/** A count that waits in the queue, and the silences of all requests that wait for it. */
type Count = { silences: SilenceRow[]; counts: Promise<ReadonlyMap<number, number>> }
const nextCounts = new WeakMap<Db, Map<number, Count>>()

/**
 * Number of SLOs that each of these silences covers, in their order. Requests that arrive before the next count begins share it, so
 * that it reads the SLOs once for all of them.
 */
async function listCounts(db: Db, organizationId: number, silences: SilenceRow[]): Promise<number[]> {
  const next = nextCounts.get(db) ?? new Map<number, Count>()
  nextCounts.set(db, next)
  const { silences: counted, counts } = next.getOrInsertComputed(organizationId, () => {
    const all: SilenceRow[] = []
    const count = () => {
      next.delete(organizationId)
      return runCooperatively(organizationId, countCovered(db, organizationId, all))
    }
    return { silences: all, counts: counting.run(organizationId, count) }
  })
  counted.push(...silences)
  const countById = await counts
  return silences.map(({ id }) => countById.get(id) ?? 0)
}

/**
 * Silence in force of an SLO that ends last; null: there is none. `untilMs`: time until which this stays true if no silence is
 * created or changed.
 */
export async function silenceOf({ db, clock }: Deps, slo: SloRow) {
  const nowMs = clock.now()
  const silences = await listNamedUnended(db.read, { organizationId: slo.organization_id, nowMs, sloIds: [slo.id] })
  const [found] = createSilenceIndex(silences.filter(({ starts_at }) => starts_at <= nowMs)).covering(slo)
  const untilMs = Math.min(...silences.map(({ starts_at, until }) => (starts_at > nowMs ? starts_at : until)))
  return { silence: found ? presentInForce(found) : null, untilMs }
}

type ListOptions = Parameters<typeof listSilences>[2]

/** Extends `listSilences` with the number of SLOs that each silence covers. */
export async function listDescribed(db: Db, organizationId: number, options: ListOptions) {
  const { rows, total } = await listSilences(db, organizationId, options)
  const counts = await listCounts(db, organizationId, rows)
  return { rows: rows.map((row, at): DescribedSilence => ({ ...row, slo_count: counts[at] ?? 0 })), total }
}

function readSubject({ slo_id = null, labels = null }: SilenceCreation): {
  slo_id: number | null
  labels: string | null
} {
  if ((slo_id === null) === (labels === null)) throw invalid('slo_id', 'send exactly one of slo_id and labels')
  if (labels === null) return { slo_id, labels }
  const parsedLabels = readLabels(labels)
  if (Object.keys(parsedLabels).length === 0) throw invalid('labels', 'must have at least one entry')
  return { slo_id, labels: JSON.stringify(parsedLabels) }
}

/** Reads start and end. A start in the past becomes now, because sent notifications cannot be taken back. */
function readTimes({ starts_at, until, duration_seconds: seconds }: SilenceCreation, nowMs: number) {
  const sentMs = starts_at === undefined ? nowMs : readZonedTime(starts_at)
  if (sentMs === undefined) throw invalid('starts_at', `must be ${zonedTimeText}`)
  const startsMs = Math.max(sentMs, nowMs)
  if (until !== undefined && seconds === undefined) {
    return { starts_at: startsMs, until: readUntil(until, startsMs, nowMs) }
  }
  if (until === undefined && seconds !== undefined) {
    return { starts_at: startsMs, until: assertNear('duration_seconds', startsMs + seconds * 1000, nowMs) }
  }
  throw invalid('until', 'send exactly one of until and duration_seconds')
}

function readUntil(text: string, startsMs: number, nowMs: number): number {
  const untilMs = readZonedTime(text)
  if (untilMs === undefined || untilMs <= Math.max(startsMs, nowMs)) {
    throw invalid('until', `must be ${zonedTimeText}, in the future and after starts_at`)
  }
  return assertNear('until', untilMs, nowMs)
}

function assertNear(field: string, untilMs: number, nowMs: number): number {
  if (untilMs <= nowMs + maxSilenceSeconds * 1000) return untilMs
  throw invalid(field, `must end at most ${maxSilenceSeconds / 86_400} days from now`)
}

function detailsOf({ id, slo_id, labels, until }: SilenceRow): Record<string, unknown> {
  const scope = labels === null ? { slo_id } : { labels: parseLabels({ labels }) }
  return { silence_id: id, ...scope, until: isoTime(until) }
}
