import type { Clock } from '../../clock.ts'
import { auditWriter, changedFields } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import { flag, type SloRow, type SourceQueryRow } from '../../db/tables/tables.ts'
import { invalid } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { getActiveSlo, getSlo, hasSource } from '../../slos/store.ts'
import type { AssertReadable, QueryToStore } from '../assert-readable.ts'
import { expressionHash } from '../../promql/analysis/normal-form.ts'
import type { SourceQueryCreation, SourceQueryUpdate } from './model.ts'
import { deleteSourceQuery, getSourceQuery, insertSourceQuery, updateSourceQuery } from './store.ts'

type Deps = { db: Database; clock: Clock; assertReadable: AssertReadable }

/** Stores a query, which runs immediately and then every interval. Throws `not_found` for a missing or deleted SLO. */
export async function createSourceQuery(
  { db, clock, assertReadable }: Deps,
  caller: Caller,
  creation: SourceQueryCreation,
): Promise<SourceQueryRow> {
  const { organizationId } = caller
  const nowMs = clock.now()
  const query = {
    organization_id: organizationId,
    slo_id: creation.slo_id,
    source_id: creation.source_id ?? null,
    query_name: creation.query_name,
    source_query: creation.source_query,
    query_type: creation.query_type,
    query_hash: expressionHash(creation.source_query),
    metric_labels: JSON.stringify(creation.metric_labels ?? []),
    evaluation_interval_seconds: creation.evaluation_interval_seconds ?? 60,
    is_active: flag(creation.is_active ?? true),
    next_run_at: nowMs,
    last_value: null,
    last_value_at: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
  const slo = await getActiveSlo(db.read, organizationId, query.slo_id)
  if (!creation.force) await assertReadable([queryToStore(query, slo)])
  return db.write.transaction().execute(async (trx) => {
    await getActiveSlo(trx, organizationId, query.slo_id)
    await assertSource(trx, organizationId, query.source_id)
    const row = await insertSourceQuery(trx, query)
    await audit(trx, caller, 'source_query_created', row, {}, nowMs)
    return row
  })
}

/** Fields whose change makes the query run immediately. A change of the first two also clears its last value. */
const fieldsThatClearValue = ['source_query', 'source_id'] as const
const fieldsThatTriggerRun = [...fieldsThatClearValue, 'evaluation_interval_seconds', 'is_active'] as const

/** Changes only the given fields and returns the changed query. */
export async function changeSourceQuery(
  { db, clock, assertReadable }: Deps,
  caller: Caller,
  id: number,
  update: SourceQueryUpdate,
): Promise<SourceQueryRow> {
  const { organizationId } = caller
  const { is_active, metric_labels, force, ...fields } = update
  const columns: Partial<SourceQueryRow> = {
    ...fields,
    ...(is_active === undefined ? {} : { is_active: flag(is_active) }),
    ...(metric_labels === undefined ? {} : { metric_labels: JSON.stringify(metric_labels) }),
  }
  if (Object.keys(columns).length === 0) throw invalid('body', 'must have at least one known field of a query')
  if (!force) {
    const stored = await getSourceQuery(db.read, organizationId, id)
    const updated = { ...stored, ...columns }
    const slo = await getSlo(db.read, organizationId, stored.slo_id)
    if (updated.source_query !== stored.source_query) await assertReadable([queryToStore(updated, slo)])
  }
  return db.write.transaction().execute(async (trx) => {
    const stored = await getSourceQuery(trx, organizationId, id)
    const updated = { ...stored, ...columns, updated_at: clock.now() }
    await assertSource(trx, organizationId, updated.source_id)
    const differs = (field: keyof SourceQueryRow) => updated[field] !== stored[field]
    const changed = changedFields<SourceQueryRow>(stored, columns)
    if (changed.length > 0) await audit(trx, caller, 'source_query_changed', updated, { changed }, updated.updated_at)
    return updateSourceQuery(trx, organizationId, id, {
      ...columns,
      updated_at: updated.updated_at,
      query_hash: expressionHash(updated.source_query),
      ...(fieldsThatClearValue.some(differs) ? { last_value: null, last_value_at: null } : {}),
      ...(fieldsThatTriggerRun.some(differs) ? { next_run_at: updated.updated_at } : {}),
    })
  })
}

/** Deletes a query with its executions; to keep these, deactivate the query instead. */
export async function removeSourceQuery(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const { organizationId } = caller
  await db.write.transaction().execute(async (trx) => {
    const query = await getSourceQuery(trx, organizationId, id)
    await deleteSourceQuery(trx, organizationId, id)
    await audit(trx, caller, 'source_query_deleted', query, {}, clock.now())
  })
}

/** Writes an audit entry: it has the names of changed fields, never the text of queries. */
const audit = auditWriter(({ id, slo_id, query_name }: SourceQueryRow) => ({ query_id: id, slo_id, query_name }))

type StoredQuery = Pick<SourceQueryRow, 'organization_id' | 'source_query' | 'source_id'>

function queryToStore(
  { organization_id: organizationId, source_query: text, source_id }: StoredQuery,
  slo: SloRow,
): QueryToStore {
  return { field: 'source_query', text, organizationId, sourceId: source_id ?? slo.source_id }
}

async function assertSource(trx: Db, organizationId: number, sourceId: number | null): Promise<void> {
  if (sourceId !== null && !(await hasSource(trx, organizationId, sourceId))) {
    throw invalid('source_id', 'must be a source of your organization')
  }
}
