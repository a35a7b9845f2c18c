import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Seal } from '../../db/seal.ts'
import type { DataSourceRow, SloRow } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { type BackfillToDo, getBackfill, listBackfillsToDo, updateBackfill } from '../../slos/backfill-store.ts'
import { planSli } from '../plan.ts'
import type { Prometheus } from '../prometheus/client.ts'
import { definitionOf } from '../sli-definition.ts'
import { findDefaultSource, getSource } from '../source-store.ts'
import { openRow } from '../sources.ts'
import { backfillChunks } from './backfill-chunks.ts'
import { type MeasuredSlices, measureLedger } from './measure-ledger.ts'
import type { Slice, Span } from './slice.ts'
import { listStarts, putSlices, sumRanges } from './slice-store.ts'

export type BackfillDeps = {
  db: Database
  clock: Clock
  log: Log
  seal: Seal
  prometheus: Prometheus
  config: Pick<Config, 'retentionDays'>
  isClosing(): boolean
  /** Ids of the sources that are being asked, so that calls do not meet. */
  backfilling: Set<number>
}

type Measure = typeof measureLedger

const mostTogether = 50

/**
 * Asks every source for the past of the SLOs that want theirs, until there is nothing left or the app is closing. Where a
 * source does not answer, its backfills wait for the next call; a call leaves alone what an earlier one is busy with.
 * However it ends, no more than a chunk is asked again.
 */
export async function runBackfills(deps: BackfillDeps, measure: Measure = measureLedger): Promise<void> {
  const work = await listWork(deps.db.read)
  const outcomes = await Promise.allSettled(
    [...work.keys()].map(async (sourceId) => {
      if (deps.backfilling.has(sourceId)) return
      deps.backfilling.add(sourceId)
      try {
        while (!deps.isClosing() && (await fillNextChunk(deps, sourceId, measure)));
      } finally {
        deps.backfilling.delete(sourceId)
      }
    }),
  )
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
}

type Work = { source: DataSourceRow; toDo: BackfillToDo[] }

/** By source id; what has no source, or one that is not active, waits. */
async function listWork(db: Db): Promise<Map<number, Work>> {
  const work = new Map<number, Work>()
  const listed = await listBackfillsToDo(db, mostTogether)
  for (const toDo of Map.groupBy(listed, (one) => `${one.organization_id} ${one.source_id}`).values()) {
    const source = await sourceOf(db, toDo[0])
    if (source?.is_active !== 1) continue
    work.set(source.id, { source, toDo: [...(work.get(source.id)?.toDo ?? []), ...toDo] })
  }
  return work
}

async function sourceOf(db: Db, slo: SloRow | undefined): Promise<DataSourceRow | undefined> {
  if (!slo) return undefined
  const { organization_id, source_id } = slo
  return source_id === null ? findDefaultSource(db, organization_id) : getSource(db, organization_id, source_id)
}

/** Asks for the next chunk of those that have come least far, all that want the same. Says whether there may be more. */
async function fillNextChunk(deps: BackfillDeps, sourceId: number, measure: Measure): Promise<boolean> {
  const { source, toDo } = (await listWork(deps.db.read)).get(sourceId) ?? { toDo: [] }
  const steps = toDo.map((one) => stepOf(one, deps.config.retentionDays))
  const [first] = steps.toSorted((a, b) => a.done - b.done)
  if (!source || !first) return false
  const together = steps.filter((step) => Bun.deepEquals(step.span, first.span)).slice(0, mostTogether)
  const metered = together.map(({ slo }) => ({ slo, plan: planSli(definitionOf(slo)) }))
  try {
    const measured = await measure(openRow(deps, source), metered, first.span)
    for (const step of together) {
      if (deps.isClosing()) return false
      await record(deps, step, measured.get(step.slo.id) ?? { slices: [], unsureFrom: null })
      await nextTurn() // SQLite answers at once: without this, nothing else would be served until the last has been written
    }
    return true
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'source_unavailable') throw error
    deps.log.debug('backfills wait for their source', { source: source.name, error })
    return false
  }
}

/** `before`: the span asked last, where that was of the same resolution. */
type Step = { slo: BackfillToDo; chunks: number; done: number; span: Span; before: Span | undefined }

function stepOf(slo: BackfillToDo, retentionDays: number): Step {
  const chunks = backfillChunks(slo.ends_at, retentionDays)
  const done = Math.min(slo.chunks_done, chunks.length - 1) // fewer, where the retention has been shortened since
  const span = chunks[done]
  if (!span) throw new Error('a backfill has at least one chunk')
  return { slo, chunks: chunks.length, done, span, before: chunks[done - 1] }
}

async function record({ db, clock }: BackfillDeps, step: Step, measured: MeasuredSlices): Promise<void> {
  const { slo, chunks } = step
  const updated_at = clock.now()
  if ('error' in measured) {
    const error = measured.error.details ?? measured.error.message
    await updateBackfill(db.write, slo.id, slo.revision, { status: 'failed', error, updated_at })
    return
  }
  await db.write.transaction().execute(async (trx) => {
    if (!(await isAsListed(trx, slo))) return
    const added = await addSlices(trx, step, measured.slices)
    const done = (await isBeyondData(trx, step)) ? chunks : step.done + 1
    const status = done === chunks ? 'done' : 'running'
    const slices = slo.slices + added
    await updateBackfill(trx, slo.id, slo.revision, { status, chunks, chunks_done: done, slices, updated_at })
  })
}

/** While the source was asked, the backfill may have been cancelled, begun anew, or overtaken by another revision. */
async function isAsListed(trx: Db, slo: BackfillToDo): Promise<boolean> {
  const now = await getBackfill(trx, slo.organization_id, slo.id)
  const isSame = now.revision === slo.revision && now.ends_at === slo.ends_at && now.chunks_done === slo.chunks_done
  return isSame && (now.status === 'waiting' || now.status === 'running')
}

/** What was measured at its time is not replaced by what the source still remembers of it. */
async function addSlices(trx: Db, { slo, span }: Step, slices: Slice[]): Promise<number> {
  const whose = { sloId: slo.id, revision: slo.revision }
  const [known = []] = await listStarts(trx, [{ ...whose, ...span }])
  const there = new Set(known)
  const missing = slices.filter(({ startSeconds, coveredSeconds }) => coveredSeconds > 0 && !there.has(startSeconds))
  await putSlices(
    trx,
    missing.map((slice) => ({ ...slice, ...whose, resolution: span.resolution })),
  )
  return missing.length
}

/** Two chunks of days without any data: the source reaches no further. */
async function isBeyondData(trx: Db, { slo, span, before }: Step): Promise<boolean> {
  if (span.resolution !== 86_400 || before?.resolution !== span.resolution) return false
  const both = { ...span, endSeconds: before.endSeconds, sloId: slo.id, revision: slo.revision }
  const [sum] = await sumRanges(trx, [both])
  return sum?.coveredSeconds === 0
}
