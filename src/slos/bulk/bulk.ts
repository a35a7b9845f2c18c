import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../../concurrency/chunks.ts'
import { type CooperativeTask, runCooperatively } from '../../concurrency/cooperative.ts'
import { AppError, assertNone, invalid, prefixProblems, type Problem } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { changeSlo, createSlos, deleteSlo, type EditDeps } from '../edit.ts'
import { readLabels } from '../labels.ts'
import { listFilteredIds } from '../search-store.ts'
import { assertTeam } from '../teams/store.ts'
import type { SloCreation } from '../model.ts'
import { getActiveSlo, getSlo } from '../store.ts'
import { type BulkRequest, type BulkResult, maxSlos, readFilter } from './model.ts'

export type BulkDeps = EditDeps & {
  /** Returns a function that derives the SLO for one value of a label; `problems`: reasons why that is impossible. */
  forEachValue: (
    slo: SloCreation,
  ) => (one: { label: string; value: string }) => { slo: SloCreation; problems: Problem[] }
  /**
   * Checks a rule for `sloCount` SLOs. Returns a function that stores it for one of them, and returns true if it is new or changed.
   * Throws `invalid`, and `not_found` for its channel.
   */
  prepareRule: (caller: Caller, sent: unknown, sloCount: number) => Promise<(sloId: number) => Promise<boolean>>
}

const slosPerBatch = 5

/**
 * Changes SLOs one by one, each completely or not at all, and returns the result of each. `create_for_each` creates all or none.
 * Throws `invalid` for a request that is wrong as a whole; nothing has been changed then.
 */
export async function changeMany(deps: BulkDeps, caller: Caller, request: BulkRequest): Promise<BulkResult[]> {
  assertNone(requestProblems(request))
  const { action } = request
  if (action === 'create_for_each') return createForEach(deps, caller, request)
  const ids = request.ids ? [...new Set(request.ids)] : await listSelected(deps, caller, request.filter)
  const change = await changeOf(deps, caller, { ...request, action }, ids.length)
  const results: BulkResult[] = []
  for (const batch of inChunks(ids, slosPerBatch)) {
    results.push(...(await Promise.all(batch.map((id) => resultOf(id, change)))))
    await yieldToEventLoop() // SQLite is synchronous: other requests run in between
  }
  return results
}

const requiredFields = {
  set_target: ['target'],
  add_rules: ['rule'],
  create_for_each: ['slo', 'label', 'values'],
} as const

function requestProblems(request: BulkRequest): Problem[] {
  const problems: Problem[] = []
  const { action, ids, filter } = request
  const creates = action === 'create_for_each'
  for (const field of creates ? (['ids', 'filter'] as const) : []) {
    if (request[field] === undefined) continue
    problems.push({ field, message: `cannot be sent with ${action}`, code: 'exclusive' })
  }
  if (!creates && ids === undefined && filter === undefined) {
    problems.push({ field: 'ids', message: 'is required, or filter', code: 'required' })
  }
  if (!creates && ids !== undefined && filter !== undefined) {
    problems.push({ field: 'filter', message: 'cannot be sent with ids: send one of the two', code: 'exclusive' })
  }
  for (const [requiredAction, fields] of Object.entries(requiredFields)) {
    for (const field of fields) {
      const isGiven = request[field] !== undefined
      if (isGiven === (requiredAction === action)) continue
      problems.push(
        isGiven
          ? { field, message: `cannot be sent without ${requiredAction}`, code: 'exclusive' }
          : { field, message: `is required with ${requiredAction}`, code: 'required' },
      )
    }
  }
  return problems
}

/** Creates an SLO for each value of a label, in their order. */
async function createForEach(
  deps: BulkDeps,
  caller: Caller,
  { slo, label = '', values = [] }: BulkRequest,
): Promise<BulkResult[]> {
  if (!slo) return []
  const repeated = values.flatMap((value, at): Problem[] =>
    values.indexOf(value) < at
      ? [{ field: `values.${at}`, message: 'must not repeat an entry before it', code: 'duplicate' }]
      : [],
  )
  const compositeProblem = {
    field: 'slo.composite',
    message: 'cannot be sent with create_for_each',
    code: 'exclusive' as const,
  }
  assertNone([...repeated, ...(slo.composite ? [compositeProblem] : [])])
  try {
    const slos = await runCooperatively(caller.organizationId, makeForEach(deps, slo, { label, values }))
    const ids = await createSlos(deps, caller, slos)
    return ids.map((id) => ({ id, result: 'created', error: null }))
  } catch (error) {
    throw prefixProblems('slo.', error)
  }
}

/** SLOs for the values of a label. Yields after each, since a long query has thousands of selectors. Throws `invalid`. */
function* makeForEach(
  { forEachValue }: BulkDeps,
  slo: SloCreation,
  { label, values }: { label: string; values: readonly string[] },
): CooperativeTask<SloCreation[]> {
  const forValue = forEachValue(slo)
  const slos: SloCreation[] = []
  for (const value of values) {
    const { slo: one, problems } = forValue({ label, value })
    assertNone(problems)
    slos.push(one)
    yield
  }
  return slos
}

/** Ids of the active SLOs that a filter selects. Throws `invalid` if the filter has no conditions, or selects too many. */
async function listSelected({ db }: BulkDeps, { organizationId }: Caller, sent: unknown): Promise<number[]> {
  try {
    const { labels: sentLabels, team_id: teamId, search } = readFilter(sent)
    const labels = Object.entries(readLabels(sentLabels))
    if (labels.length === 0 && teamId === undefined && search === undefined) {
      throw invalid('labels', 'is required, or team_id or search', { code: 'required' })
    }
    if (teamId !== undefined) await assertTeam(db.read, organizationId, teamId, 'team_id')
    const ids = await listFilteredIds(db.read, organizationId, { labels, teamId, search })
    if (ids.length <= maxSlos) return ids
    const message = `must select at most ${maxSlos} SLOs, not ${ids.length}`
    throw invalid('search', message, { code: 'too_many', params: { max_items: maxSlos } })
  } catch (error) {
    throw prefixProblems('filter.', error)
  }
}

/** Returns a function that changes the SLO of an id and returns true, or false if there was nothing to change. */
async function changeOf(
  deps: BulkDeps,
  caller: Caller,
  { action, target, rule }: BulkRequest & { action: Exclude<BulkRequest['action'], 'create_for_each'> },
  sloCount: number,
): Promise<(id: number) => Promise<boolean>> {
  const { organizationId } = caller
  const change = async (id: number, update: { paused: boolean } | { target: number }): Promise<boolean> => {
    const slo = await getActiveSlo(deps.db.read, organizationId, id)
    const isUnchanged = 'paused' in update ? (slo.paused_at !== null) === update.paused : slo.target === update.target
    if (!isUnchanged) await changeSlo(deps, caller, id, update)
    return !isUnchanged
  }
  switch (action) {
    case 'pause':
      return (id) => change(id, { paused: true })
    case 'resume':
      return (id) => change(id, { paused: false })
    case 'set_target':
      return (id) => change(id, { target: target ?? 0 })
    case 'delete':
      return async (id) => {
        const { active } = await getSlo(deps.db.read, organizationId, id)
        if (active === 1) await deleteSlo(deps, caller, id)
        return active === 1
      }
    case 'restore':
      return async (id) => {
        const { active } = await getSlo(deps.db.read, organizationId, id)
        if (active === 0) await changeSlo(deps, caller, id, { active: true })
        return active === 0
      }
    case 'add_rules':
      return deps.prepareRule(caller, rule, sloCount)
  }
}

async function resultOf(id: number, change: (id: number) => Promise<boolean>): Promise<BulkResult> {
  try {
    return { id, result: (await change(id)) ? 'changed' : 'unchanged', error: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { kind: code, message, details = null } = error
    return { id, result: 'failed', error: { code, message, details } }
  }
}
