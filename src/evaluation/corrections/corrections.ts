import { type Clock, isoTime } from '../../clock.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import type { Config } from '../../config.ts'
import { auditWriter, changesOf } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { CorrectionRow, SloRow } from '../../db/tables/tables.ts'
import { invalid } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { createMatcher, type MatchedSlo } from '../../slos/corrections/matching.ts'
import {
  getCorrection,
  insertCorrection,
  listMatched,
  type NamedCorrection,
  removeCorrection,
  updateCorrection,
} from '../../slos/corrections/store.ts'
import { parseLabels } from '../../slos/labels.ts'
import type { SourceOpener } from '../../sources/source.ts'
import { openOrFailing } from '../../sources/store.ts'
import { type Evaluation, listActiveSlos } from '../evaluation-store.ts'
import { applyCorrections, invalidateCorrections, listChangedRules } from './apply-corrections.ts'
import type { CorrectionCreation, CorrectionUpdate } from './model.ts'
import { readCovered, readTimes } from './read-correction.ts'

/** Creates and ends the silence of a correction that also holds alerts. */
export type Silences = {
  create: (
    caller: Caller,
    sent: { slo_id?: number; labels?: unknown; starts_at: string; until: string; comment: string },
  ) => Promise<{ id: number }>
  end: (caller: Caller, id: number) => Promise<void>
  hasEnded: (caller: Caller, id: number) => Promise<boolean>
}

export type CorrectionDeps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  planner: Planner
  config: Pick<Config, 'retentionDays'>
  silences: Silences
  /** Evaluates SLOs now. */
  evaluate: (sloIds: number[]) => Promise<Evaluation[]>
}

/** Correction as stored. `sloCount`: number of active SLOs that it covers. */
type Changed = { row: NamedCorrection; sloCount: number }

/** Stores a correction, applies it to the ledger of the SLOs that it covers, and evaluates them. Throws `invalid`. */
export async function createCorrection(
  deps: CorrectionDeps,
  caller: Caller,
  sent: CorrectionCreation,
): Promise<Changed> {
  const { db, clock } = deps
  const { organizationId } = caller
  const nowMs = clock.now()
  const covered = await readCovered(db.read, organizationId, sent)
  const times = readTimes(sent, nowMs, deps.config.retentionDays)
  const silence_id =
    sent.hold_alerts === true ? await holdAlerts(deps, caller, { ...covered, ...times }, sent.text ?? '') : null
  const stored = db.write.transaction().execute(async (trx) => {
    const row = await insertCorrection(trx, {
      ...covered,
      ...times,
      organization_id: organizationId,
      category: sent.category,
      text: sent.text ?? '',
      silence_id,
      created_by: caller.userId,
      created_at: nowMs,
      updated_at: nowMs,
    })
    await audit(trx, caller, 'correction_created', row, {}, nowMs)
    return row
  })
  const { id } = await stored.catch(async (error: unknown) => {
    if (silence_id !== null) await deps.silences.end(caller, silence_id)
    throw error
  })
  return apply(deps, organizationId, id)
}

/**
 * Changes the times, the category or the text of a correction; times are sent together. Its silence, if it has not ended, is
 * replaced by one of the new times. Throws `invalid`.
 */
export async function changeCorrection(
  deps: CorrectionDeps,
  caller: Caller,
  id: number,
  sent: CorrectionUpdate,
): Promise<Changed> {
  const { db, clock, config, silences } = deps
  const { category, text, ...sentTimes } = sent
  const hasTimes = Object.values(sentTimes).some((one) => one !== undefined)
  const nowMs = clock.now()
  const read = (from: Db) => getCorrection(from, caller.organizationId, id)
  const newTimesOf = (stored: CorrectionRow) => {
    if (!hasTimes) return {}
    const from = isoTime(1000 * stored.starts_at)
    const recurrence = stored.rrule === null || sentTimes.to !== undefined ? {} : recurrenceOf(stored)
    const end = stored.ends_at === null || sentTimes.rrule !== undefined ? {} : { to: isoTime(1000 * stored.ends_at) }
    return readTimes({ from, ...end, ...recurrence, ...sentTimes }, nowMs, config.retentionDays)
  }
  const known = await read(db.read)
  const changed = { ...known, ...newTimesOf(known), ...(text !== undefined && { text }) }
  const moved = await moveSilence(deps, caller, known, changed)
  const changing = db.write.transaction().execute(async (trx) => {
    const stored = await read(trx)
    const changes = changesOf<CorrectionRow>(stored, { ...newTimesOf(stored), category, text, silence_id: moved?.to })
    if (changes === null) return
    await updateCorrection(trx, caller.organizationId, id, { ...changes.values, updated_at: nowMs })
    await audit(trx, caller, 'correction_changed', stored, changes.details, nowMs)
  })
  await changing.catch(async (error: unknown) => {
    if (moved?.to !== undefined) await silences.end(caller, moved.to)
    throw error
  })
  if (moved) await silences.end(caller, moved.from)
  if (hasTimes) return apply(deps, caller.organizationId, id)
  return changedOf(deps, caller.organizationId, id, await listMatched(deps.db.read, caller.organizationId))
}

function recurrenceOf({ rrule, duration_seconds, time_zone }: CorrectionRow): Partial<CorrectionUpdate> {
  if (rrule === null || duration_seconds === null || time_zone === null) return {}
  return { rrule, duration_seconds, time_zone }
}

/** Deletes a correction: all that it excluded counts again, as it was measured. Its silence ends. */
export async function deleteCorrection(deps: CorrectionDeps, caller: Caller, id: number): Promise<void> {
  const { db, clock } = deps
  const silenceId = await db.write.transaction().execute(async (trx) => {
    const row = await getCorrection(trx, caller.organizationId, id)
    await removeCorrection(trx, caller.organizationId, id)
    await audit(trx, caller, 'correction_deleted', row, {}, clock.now())
    return row.silence_id
  })
  if (silenceId !== null) await deps.silences.end(caller, silenceId)
  await applyToAll(deps, caller.organizationId)
}

async function apply(deps: CorrectionDeps, organizationId: number, id: number): Promise<Changed> {
  return changedOf(deps, organizationId, id, await applyToAll(deps, organizationId))
}

async function changedOf(
  { db }: CorrectionDeps,
  organizationId: number,
  id: number,
  slos: MatchedSlo[],
): Promise<Changed> {
  const row = await getCorrection(db.read, organizationId, id)
  return { row, sloCount: slos.filter(createMatcher(row)).length }
}

const oneAtATime = createSemaphore(1)

const evaluatedInRequest = 20

/**
 * Applies the present corrections of an organization to the ledger, and evaluates the SLOs concerned; returns all active SLOs. Runs one
 * at a time, because each run reads all SLOs of an organization.
 */
async function applyToAll(deps: CorrectionDeps, organizationId: number): Promise<MatchedSlo[]> {
  invalidateCorrections(deps.db)
  return oneAtATime.run(async () => {
    const all = await listMatched(deps.db.read, organizationId)
    const concerned = await listChangedRules(deps.db, all)
    if (concerned.length > 0)
      await applyTo(
        deps,
        organizationId,
        concerned.map(({ slo }) => slo.id),
      )
    return all
  })
}

async function applyTo(deps: CorrectionDeps, organizationId: number, ids: number[]): Promise<void> {
  const groups = await listActiveSlos(deps.db.read, { ids })
  await deps.planner.planAll(groups.flatMap(({ slos }) => slos))
  const changed: number[] = []
  for (const { source, slos } of groups) {
    const opened = source && openOrFailing(deps, source)
    changed.push(...(await applyCorrections(deps, opened, slos.map(deps.planner.plan))))
  }
  const paused = await listPaused(deps, organizationId, ids)
  await applyCorrections(deps, null, paused.map(deps.planner.plan))
  const evaluated = changed.length === 0 ? Promise.resolve() : deps.evaluate(changed)
  if (changed.length <= evaluatedInRequest) await evaluated
  else evaluated.catch(() => {}) // the next round evaluates them
}

async function listPaused({ db }: CorrectionDeps, organizationId: number, ids: number[]): Promise<SloRow[]> {
  const ofOrganization = db.read.selectFrom('slos').selectAll().where('organization_id', '=', organizationId)
  return ofOrganization
    .where('id', 'in', among(ids))
    .where('active', '=', 1)
    .where('paused_at', 'is not', null)
    .execute()
}

/** Creates a silence for the time of a correction that does not recur. */
async function holdAlerts(
  { silences, clock }: CorrectionDeps,
  caller: Caller,
  { slo_ids, labels, starts_at, ends_at }: Pick<CorrectionRow, 'slo_ids' | 'labels' | 'starts_at' | 'ends_at'>,
  text: string,
): Promise<number> {
  const ids: number[] = slo_ids === null ? [] : JSON.parse(slo_ids)
  const [slo_id] = ids
  if (ends_at === null) throw invalid('hold_alerts', 'needs a correction with from and to, not a recurring one')
  if (1000 * ends_at <= clock.now()) throw invalid('hold_alerts', 'needs a correction that has not ended')
  if (labels === null && ids.length !== 1) throw invalid('hold_alerts', 'needs a correction of one SLO or of labels')
  const until = isoTime(1000 * ends_at)
  const times = {
    starts_at: isoTime(1000 * starts_at),
    until,
    comment: text === '' ? 'Announced by a correction' : text,
  }
  const covered = labels === null ? { ...(slo_id !== undefined && { slo_id }) } : { labels: parseLabels({ labels }) }
  return (await silences.create(caller, { ...covered, ...times })).id
}

/**
 * Creates the silence for changed times. `from`: id of the silence for the stored times, which the caller then ends; `to`: id of
 * the new one, undefined if the new times are over or recur. Returns undefined if the times are the same, or the correction has no
 * silence that could still hold alerts.
 */
async function moveSilence(
  deps: CorrectionDeps,
  caller: Caller,
  stored: CorrectionRow,
  changed: CorrectionRow,
): Promise<{ from: number; to: number | undefined } | undefined> {
  const isSame = stored.starts_at === changed.starts_at && stored.ends_at === changed.ends_at
  const from = stored.silence_id
  if (isSame || from === null || (await deps.silences.hasEnded(caller, from))) return undefined
  const isAhead = changed.ends_at !== null && 1000 * changed.ends_at > deps.clock.now()
  return { from, to: isAhead ? await holdAlerts(deps, caller, changed, changed.text) : undefined }
}

const audit = auditWriter<CorrectionRow>(({ id, slo_ids, team_id, labels, starts_at, ends_at, rrule, category }) => ({
  correction_id: id,
  ...(slo_ids !== null && { slo_ids: JSON.parse(slo_ids) }),
  ...(team_id !== null && { team_id }),
  ...(labels !== null && { labels: parseLabels({ labels }) }),
  from: isoTime(1000 * starts_at),
  ...(ends_at !== null && { to: isoTime(1000 * ends_at) }),
  ...(rrule !== null && { rrule }),
  category,
}))
