import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { auditWriter, changedFields } from '../db/audit.ts'
import { insertRow } from '../db/statements/insert-row.ts'
import type { Database, Db } from '../db/open.ts'
import { flag, type SloEvent, type SloRow } from '../db/tables/tables.ts'
import { assertNone, invalid, type Problem, problemsOf } from '../errors.ts'
import type { Caller } from '../http/signed-in.ts'
import { resumeBackfill, startBackfill, startFirstBackfill, updateBackfill } from './backfills/store.ts'
import { policyProblems, readPolicy } from './budget-policy.ts'
import { readServiceHours, serviceHoursProblems } from './corrections/read-service-hours.ts'
import {
  creationProblems,
  type Definition,
  definitionProblems,
  queryFields,
  type QueryField,
  type Review,
  completeDefinition,
  windowProblems,
} from './definition.ts'
import { compositeText } from './composites/composites.ts'
import { holderProblems, type Holder, listHolders, memberProblems } from './composites/store.ts'
import { labelProblems, readLabels } from './labels.ts'
import type { SloCreation, SloUpdate } from './model.ts'
import { recordChange } from './changes/store.ts'
import {
  deleteCheckpoint,
  clearState,
  insertRevision,
  isMeasuredAlike,
  pauseState,
  reassessState,
  resumeState,
} from './revision-store.ts'
import { isSameWindow } from './arithmetic/own-window.ts'
import { isCalendarWindow } from './arithmetic/windows.ts'
import { findWindowZone, getSlo, hasSource, mayBeUndone, redefinedAt, updateSlo } from './store.ts'
import { findTeam } from './teams/store.ts'

/** A query of an SLO that is about to be stored. */
type NewQuery = { field: QueryField; text: string; organizationId: number; sourceId: number | null }

export type EditDeps = {
  db: Database
  clock: Clock
  /** Throws `invalid` for queries that neither nines nor their source can read. */
  assertReadable: (queries: NewQuery[]) => Promise<void>
  /** True if an SLO of this definition counts events, not time. */
  countsEvents: (definition: Definition) => boolean
}

/**
 * Creates an SLO in the caller's organization and starts its backfill, unless it is paused. Throws `invalid` for an invalid SLO. `warnings`: likely
 * mistakes in it.
 */
export async function createSlo(
  {
    db,
    clock,
    reviewDefinition,
    assertReadable,
    countsEvents,
  }: EditDeps & { reviewDefinition: (definition: Definition) => Review },
  caller: Caller,
  creation: SloCreation,
): Promise<{ slo: NewSlo; warnings: string[] }> {
  const nowMs = clock.now()
  const definition = completeDefinition(creation)
  const references = referencesOf(caller, creation)
  const { isPromql, warnings } = creation.composite ? compositeReview : reviewDefinition(definition)
  const isReadable = isPromql || creation.force === true
  const composite = compositeColumn(creation)
  // before the transaction, because it may query the source
  const queryProblems = isReadable ? [] : await problemsOf(assertReadable(queriesOf({ ...definition, ...references })))
  return db.groupCommit(async (trx) => {
    const problemsOfMembers = await memberProblems(trx, { ...references, composite }, countsEvents)
    assertNone([
      ...creationProblems(creation),
      ...queryProblems,
      ...(await referenceProblems(trx, references)),
      ...problemsOfMembers,
    ])
    return { slo: await storeNew(trx, caller, creation, nowMs), warnings }
  })
}

/** Review of a composite, which has no query. */
const compositeReview: Review = { isPromql: true, warnings: [] }

const compositeColumn = ({ composite }: Pick<SloCreation, 'composite'>) => (composite ? compositeText(composite) : null)

const slosPerBatch = 10

/**
 * Creates SLOs whose queries are PromQL, all or none, and returns their ids. The transaction spans several turns of the event loop,
 * during which other work can read but not write. Throws `invalid` for an invalid SLO.
 */
export async function createSlos(
  { db, clock }: Pick<EditDeps, 'db' | 'clock'>,
  caller: Caller,
  creations: readonly SloCreation[],
): Promise<number[]> {
  const nowMs = clock.now()
  return db.write.transaction().execute(async (trx) => {
    const ids: number[] = []
    for (const creation of creations) {
      const problemsOfReferences = await referenceProblems(trx, referencesOf(caller, creation))
      assertNone([...creationProblems(creation), ...problemsOfReferences])
      ids.push((await storeNew(trx, caller, creation, nowMs)).id)
      if (ids.length % slosPerBatch === 0) await yieldToEventLoop()
    }
    return ids
  })
}

/** An SLO that has just been stored. */
type NewSlo = SloRow & { measured_since: number }

async function storeNew(trx: Db, caller: Caller, creation: SloCreation, nowMs: number): Promise<NewSlo> {
  const zone = await findWindowZone(trx, caller.organizationId, creation)
  const slo = { ...newSlo(caller, creation, nowMs), time_zone: zone }
  const row = { id: await insertRow(trx, 'slos', slo), ...slo }
  await insertRevision(trx, row, nowMs)
  if (row.paused_at === null && row.composite === null) await startFirstBackfill(trx, row, nowMs)
  else if (row.paused_at !== null) await pauseState(trx, row, nowMs)
  await recordChange(trx, caller, 'created', row, row, nowMs)
  await audit(trx, caller, 'slo_created', row, {}, nowMs)
  return { ...row, measured_since: nowMs }
}

/** All columns except the id and the time zone: with those added, the stored row need not be read. */
function newSlo(caller: Caller, creation: SloCreation, nowMs: number): Omit<SloRow, 'id' | 'time_zone'> {
  return {
    ...referencesOf(caller, creation),
    name: creation.name,
    description: creation.description ?? '',
    runbook_url: creation.runbook_url ?? '',
    owner: creation.owner ?? '',
    budget_policy: JSON.stringify(readPolicy(creation.budget_policy)),
    composite: compositeColumn(creation),
    service_hours: readServiceHours(creation.service_hours),
    target: creation.target,
    time_window: creation.time_window,
    metric_type: creation.metric_type,
    ...completeDefinition(creation),
    query_unit: creation.query_unit ?? 'auto',
    inferred_unit: null,
    labels: JSON.stringify(readLabels(creation.labels)),
    revision: 1,
    burn_rate_tiers: null,
    budget_thresholds: null,
    active: flag(true),
    redefined_at: null,
    resumed_at: null,
    paused_at: creation.paused === true ? nowMs : null,
    created_by: caller.userId,
    created_at: nowMs,
    updated_at: nowMs,
  }
}

/**
 * Changes only the given fields and returns the changed SLO. `active: true` restores a deleted SLO; `paused: true` stops its
 * evaluation until `paused: false`. A change of how it is measured starts a new revision without results.
 */
export async function changeSlo(
  { db, clock, assertReadable, countsEvents }: EditDeps,
  caller: Caller,
  id: number,
  update: SloUpdate,
): Promise<SloRow> {
  const { organizationId } = caller
  const { active, paused, labels, budget_policy: policy, service_hours: hours, composite, force, ...fields } = update
  const changes = {
    ...fields,
    ...(active === undefined ? {} : { active: flag(active) }),
    ...(composite === undefined ? {} : { composite: compositeColumn({ composite }) }),
  }
  const sentFields = [labels, policy, hours, paused, ...Object.keys(changes)]
  if (sentFields.every((one) => one === undefined)) {
    throw invalid('body', 'must have at least one known field of an SLO')
  }
  const stored = await getSlo(db.read, organizationId, id)
  const queries = queriesOf({ ...stored, ...changes }).filter(({ field, text }) => text !== stored[field])
  const queryProblems = force ? [] : await problemsOf(assertReadable(queries))
  return db.groupCommit(async (trx) => {
    const before = await getSlo(trx, organizationId, id)
    const changed = { ...before, ...changes }
    // without a zone that was sent, a window of the same kind keeps its own; another kind begins without one
    const { time_zone: sentZone = isSameWindowKind(before, changed) ? before.time_zone : null } = fields
    const window = { time_window: changed.time_window, time_zone: sentZone }
    const problems = [
      ...windowProblems(window),
      ...labelProblems(labels),
      ...policyProblems(policy),
      ...serviceHoursProblems(hours),
      ...definitionProblems({ ...changed, service_hours: hours === undefined ? before.service_hours : hours }),
      ...(changed.composite === before.composite ? [] : await memberProblems(trx, changed, countsEvents)),
      ...(isMeasuredAlike(before, changed) ? [] : await holderProblems(trx, changed, countsEvents)),
    ]
    assertNone([...problems, ...queryProblems, ...(await referenceProblems(trx, changed))])
    const nowMs = clock.now()
    const columns: Partial<SloRow> = {
      ...changes,
      time_zone: await findWindowZone(trx, organizationId, window),
      ...(paused === undefined ? {} : { paused_at: paused ? (before.paused_at ?? nowMs) : null }),
      ...(labels === undefined ? {} : { labels: JSON.stringify(readLabels(labels)) }),
      ...(policy === undefined ? {} : { budget_policy: JSON.stringify(readPolicy(policy)) }),
      ...(hours === undefined ? {} : { service_hours: readServiceHours(hours) }),
    }
    const after = { ...before, ...columns, updated_at: nowMs }
    const changedNames = changedFields<SloRow>(before, columns)
    after.redefined_at = redefinedAt(before, changedNames, nowMs)
    if (!isMeasuredAlike(before, after)) {
      after.revision += 1
      after.inferred_unit = null
    }
    const event = sloEventOf(before, after)
    if (event === 'restored' || event === 'resumed') after.resumed_at = nowMs
    const { updated_at, redefined_at, resumed_at, revision, inferred_unit } = after
    await updateSlo(trx, organizationId, id, {
      ...columns,
      updated_at,
      redefined_at,
      resumed_at,
      revision,
      inferred_unit,
    })
    await invalidateResults(trx, before, after)
    if (changedNames.length > 0) {
      await recordChange(trx, caller, event, before, after, updated_at)
      await audit(trx, caller, `slo_${event}`, after, { changed: changedNames }, updated_at)
    }
    return after
  })
}

/**
 * Deletes an SLO softly: the row stays, inactive, and can be restored. Deleting it again changes nothing. Returns the composites that
 * it is a member of.
 */
export async function deleteSlo(
  { db, clock }: Pick<EditDeps, 'db' | 'clock'>,
  caller: Caller,
  id: number,
): Promise<Holder[]> {
  const { organizationId } = caller
  return db.groupCommit(async (trx) => {
    const slo = await getSlo(trx, organizationId, id)
    const holders = await listHolders(trx, organizationId, id)
    if (slo.active === 0) return holders
    const updated_at = clock.now()
    await updateSlo(trx, organizationId, id, { active: flag(false), updated_at, redefined_at: updated_at })
    await updateBackfill(trx, id, slo.revision, { status: 'cancelled', updated_at })
    await recordChange(trx, caller, 'deleted', slo, slo, updated_at)
    await audit(trx, caller, 'slo_deleted', slo, {}, updated_at)
    return holders
  })
}

/** True if both windows are calendar periods, or neither is. */
function isSameWindowKind(one: Pick<SloRow, 'time_window'>, other: Pick<SloRow, 'time_window'>): boolean {
  return isCalendarWindow(one.time_window) === isCalendarWindow(other.time_window)
}

function queriesOf(slo: Pick<SloRow, QueryField | 'organization_id' | 'source_id'>): NewQuery[] {
  return queryFields.flatMap((field) => {
    const text = slo[field]
    return text === null ? [] : [{ field, text, organizationId: slo.organization_id, sourceId: slo.source_id }]
  })
}

function sloEventOf(before: SloRow, after: SloRow): SloEvent {
  if (after.active !== before.active) return after.active === 1 ? 'restored' : 'deleted'
  if ((after.paused_at === null) === (before.paused_at === null)) return 'changed'
  return after.paused_at === null ? 'resumed' : 'paused'
}

/** Writes an audit entry: it has the names of changed fields, never the text of queries. */
const audit = auditWriter(({ id, name }: SloRow) => ({ slo_id: id, name }))

/** Removes results that are not valid for the changed SLO, and starts a backfill if its history must be measured. */
async function invalidateResults(trx: Db, before: SloRow, after: SloRow): Promise<void> {
  const isRevised = after.revision !== before.revision
  const isRestored = after.active > before.active
  const isPaused = after.paused_at !== null
  const isResumed = before.paused_at !== null && !isPaused
  const hasOtherWindow = !isSameWindow(before, after)
  if (isRevised) await insertRevision(trx, after, after.updated_at)
  if (isRevised || hasOtherWindow) await clearState(trx, after)
  else if (after.target !== before.target) await reassessState(trx, after, before.target)
  if (isRevised || hasOtherWindow || isRestored || isResumed) await deleteCheckpoint(trx, after.id)
  if (isPaused) {
    await pauseState(trx, after, after.paused_at ?? after.updated_at)
    await updateBackfill(trx, after.id, after.revision, { status: 'cancelled', updated_at: after.updated_at })
  } else {
    // a deletion that is undone in time has not changed the state
    if (isResumed || (isRestored && !mayBeUndone(before, after.updated_at))) await resumeState(trx, after)
    const isBackfilled = after.active === 1 && after.composite === null
    if (isBackfilled && isRevised) await startBackfill(trx, after, after.updated_at)
    else if (isBackfilled && (isRestored || isResumed)) await resumeBackfill(trx, after, after.updated_at)
  }
}

type References = Pick<SloRow, 'organization_id' | 'team_id' | 'source_id'>

function referencesOf({ organizationId }: Caller, creation: Pick<SloCreation, 'team_id' | 'source_id'>): References {
  return { organization_id: organizationId, team_id: creation.team_id ?? 1, source_id: creation.source_id ?? null }
}

/** Problems of a team or source that does not belong to the organization. */
export async function referenceProblems(trx: Db, slo: References): Promise<Problem[]> {
  const isOurTeam = (await findTeam(trx, slo.organization_id, slo.team_id)) !== undefined
  const isOurSource = slo.source_id === null || (await hasSource(trx, slo.organization_id, slo.source_id))
  return [
    ...(isOurTeam
      ? []
      : [{ field: 'team_id', message: 'must be a team of your organization', code: 'unknown' as const }]),
    ...(isOurSource
      ? []
      : [{ field: 'source_id', message: 'must be a source of your organization', code: 'unknown' as const }]),
  ]
}
