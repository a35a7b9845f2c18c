import type { Clock } from '../clock.ts'
import { isDuplicate } from '../db/constraints.ts'
import type { Database, Db } from '../db/open.ts'
import type { Seal } from '../db/seal.ts'
import { type DataSourceRow, flag } from '../db/tables.ts'
import { AppError, invalid } from '../errors.ts'
import type { SourceCreation, SourceUpdate } from './source-model.ts'
import type { Prometheus } from './prometheus.ts'
import type { Source } from './source.ts'
import { assertAuth, openAuth, sealAuth, unmaskAuth } from './source-auth.ts'
import {
  clearDefaultSource,
  countSlosOfSource,
  deleteSource,
  findDefaultSource,
  getSource,
  insertSource,
  listSources,
  updateSource,
} from './source-store.ts'

type Deps = { db: Database; clock: Clock; seal: Seal }

/** Stores a source; the first of an organization becomes its default. Throws `conflict` for a name in use. */
export async function createSource(
  { db, clock, seal }: Deps,
  organizationId: number,
  wanted: SourceCreation,
): Promise<DataSourceRow> {
  const auth = unmaskAuth(wanted.auth ?? null, null)
  assertAuth(auth)
  const nowMs = clock.now()
  return inTransaction(db, async (trx) => {
    const hasDefault = (await findDefaultSource(trx, organizationId)) !== undefined
    const isDefault = !hasDefault || wanted.is_default === true
    if (isDefault) await clearDefaultSource(trx, organizationId)
    return insertSource(trx, {
      organization_id: organizationId,
      name: wanted.name,
      api_url: wanted.api_url,
      sealed_auth: sealAuth(seal, auth),
      is_active: flag(wanted.is_active ?? true),
      is_default: flag(isDefault),
      last_check_at: null,
      last_error: null,
      created_at: nowMs,
      updated_at: nowMs,
    })
  })
}

/** Changes the given fields only. The default is moved by making another source the default, never by taking it away. */
export async function changeSource(
  { db, clock, seal }: Deps,
  organizationId: number,
  id: number,
  wanted: SourceUpdate,
): Promise<DataSourceRow> {
  if (Object.keys(wanted).length === 0) throw invalid('body', 'wanted at least one field of a source')
  return inTransaction(db, async (trx) => {
    const before = await getSource(trx, organizationId, id)
    const { auth: givenAuth, is_active, is_default, ...fields } = wanted
    if (is_default === false && before.is_default === 1) throw invalid('is_default', 'wanted true on another source')
    const auth = givenAuth === undefined ? undefined : unmaskAuth(givenAuth, openAuth(seal, before.sealed_auth))
    if (auth !== undefined) assertAuth(auth)
    if (is_default) await clearDefaultSource(trx, organizationId)
    return updateSource(trx, organizationId, id, {
      ...fields,
      ...(auth === undefined ? {} : { sealed_auth: sealAuth(seal, auth) }),
      ...(is_active === undefined ? {} : { is_active: flag(is_active) }),
      ...(is_default ? { is_default: 1 } : {}),
      updated_at: clock.now(),
    })
  })
}

/** Throws `conflict` while SLOs name the source. The oldest of the others takes its place as default. */
export async function removeSource({ db }: Deps, organizationId: number, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const source = await getSource(trx, organizationId, id)
    const users = await countSlosOfSource(trx, organizationId, id)
    if (users > 0) throw new AppError('conflict', 'Source is in use', { details: `${users} SLOs name it` })
    await deleteSource(trx, organizationId, id)
    const [next] = await listSources(trx, organizationId)
    if (source.is_default === 1 && next) await updateSource(trx, organizationId, next.id, { is_default: 1 })
  })
}

type OpenDeps = { db: Database; seal: Seal; prometheus: Prometheus }

/** The source an SLO or query names, else the default; throws `source_unavailable` where that one is not active. */
export async function openSource(
  { db, seal, prometheus }: OpenDeps,
  organizationId: number,
  sourceId: number | null,
): Promise<Source> {
  const row =
    sourceId === null
      ? await findDefaultSource(db.read, organizationId)
      : await getSource(db.read, organizationId, sourceId)
  if (!row) throw noSource('no metrics source is set up; an administrator adds one with POST /api/v1/tsdb/sources')
  if (row.is_active === 0) throw noSource(`the source ${row.name} is not active`)
  return openRow({ seal, prometheus }, row)
}

export function openRow({ seal, prometheus }: Omit<OpenDeps, 'db'>, row: DataSourceRow): Source {
  return prometheus.open({
    id: row.id,
    name: row.name,
    apiUrl: row.api_url,
    auth: openAuth(seal, row.sealed_auth),
  })
}

function noSource(details: string): AppError {
  return new AppError('source_unavailable', 'No active metrics source', { details })
}

/** The source that `SOURCE_URL` gives each new organization. */
export async function insertFirstSource(trx: Db, organizationId: number, url: string, nowMs: number): Promise<void> {
  await insertSource(trx, {
    organization_id: organizationId,
    name: 'default',
    api_url: url,
    sealed_auth: null,
    is_active: 1,
    is_default: 1,
    last_check_at: null,
    last_error: null,
    created_at: nowMs,
    updated_at: nowMs,
  })
}

async function inTransaction<T>(db: Database, work: (trx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.write.transaction().execute(work)
  } catch (cause) {
    if (!isDuplicate(cause)) throw cause
    throw new AppError('conflict', 'Source name already in use', { details: 'name: wanted another name', cause })
  }
}
