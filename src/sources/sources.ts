import type { Clock } from '../clock.ts'
import { type AuditEvent, recordAudit } from '../db/audit.ts'
import type { Database, Db } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { storeNamed } from '../db/store-named.ts'
import { type DataSourceRow, flag } from '../db/tables/tables.ts'
import { AppError, invalid } from '../errors.ts'
import { assertAuth, changedAuth, originChange, sealAuth, unmaskAuth, unsealAuth } from '../http/endpoint-auth.ts'
import type { Caller } from '../http/signed-in.ts'
import { embedded } from './embedded-source.ts'
import type { SourceCreation, SourceUpdate } from './model.ts'
import { countQueriesOfSource } from './stored-queries/store.ts'
import {
  clearDefaultSource,
  countSlosOfSource,
  deleteSource,
  findDefaultSource,
  getSource,
  insertSource,
  listSources,
  updateSource,
} from './store.ts'

type Deps = { db: Database; clock: Clock; seal: Seal }

/** Stores a source; the first of an organization always becomes its default. Throws `conflict` for a name in use. */
export async function createSource(
  { db, clock, seal }: Deps,
  caller: Caller,
  creation: SourceCreation,
): Promise<DataSourceRow> {
  const { organizationId } = caller
  const auth = unmaskAuth(creation.auth ?? null, null)
  assertAuth(auth)
  assertWithoutAuth(creation.api_url, auth !== null)
  const nowMs = clock.now()
  return storeNamed(db, 'Source', async (trx) => {
    const hasDefault = (await findDefaultSource(trx, organizationId)) !== undefined
    const isDefault = !hasDefault || creation.is_default === true
    if (isDefault) await clearDefaultSource(trx, organizationId)
    const { name, api_url, is_active = true } = creation
    const unsealed = await insertSource(trx, newSource(organizationId, { name, api_url, is_active, isDefault }, nowMs))
    const source = await updateSource(trx, organizationId, unsealed.id, {
      sealed_auth: sealAuth(seal, auth, 'data_sources.sealed_auth', unsealed),
    })
    await record(trx, caller, 'source_created', source, { auth_changed: auth !== null }, nowMs)
    return source
  })
}

/** Changes only the given fields. Credentials must be sent again for another origin. The default is moved, never unset. */
export async function changeSource(
  { db, clock, seal }: Deps,
  caller: Caller,
  id: number,
  update: SourceUpdate,
): Promise<DataSourceRow> {
  const { organizationId } = caller
  if (Object.keys(update).length === 0) throw invalid('body', 'must have at least one field of a source')
  return storeNamed(db, 'Source', async (trx) => {
    const before = await getSource(trx, organizationId, id)
    const { auth: givenAuth, is_active, is_default, ...fields } = update
    if (is_default === false && before.is_default === 1) throw invalid('is_default', 'must be true on another source')
    const apiUrl = fields.api_url ?? before.api_url
    const move = originChange(apiUrl, before.api_url)
    // unsealed only if needed: without its key, the other fields can still be changed
    const isAuthNeeded = givenAuth !== undefined || (move !== null && before.sealed_auth !== null)
    const authBefore = isAuthNeeded ? unsealAuth(seal, 'data_sources.sealed_auth', before) : null
    const auth = isAuthNeeded ? changedAuth(givenAuth, authBefore, move) : undefined
    assertWithoutAuth(apiUrl, auth === undefined ? before.sealed_auth !== null : auth !== null)
    if (is_default) await clearDefaultSource(trx, organizationId)
    const nowMs = clock.now()
    const source = await updateSource(trx, organizationId, id, {
      ...fields,
      ...(auth === undefined ? {} : { sealed_auth: sealAuth(seal, auth, 'data_sources.sealed_auth', before) }),
      ...(is_active === undefined ? {} : { is_active: flag(is_active) }),
      ...(is_default ? { is_default: 1 } : {}),
      updated_at: nowMs,
    })
    const authChanged = auth !== undefined && !Bun.deepEquals(auth, authBefore)
    await record(trx, caller, 'source_changed', source, { auth_changed: authChanged }, nowMs)
    return source
  })
}

/** Deletes a source. Throws `conflict` while SLOs or stored queries name it. The default passes to the oldest other one. */
export async function removeSource({ db, clock }: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await db.write.transaction().execute(async (trx) => {
    const source = await getSource(trx, organizationId, id)
    const slos = await countSlosOfSource(trx, organizationId, id)
    if (slos > 0) throw inUse(`SLOs that name it: ${slos}`)
    const queries = await countQueriesOfSource(trx, organizationId, id)
    if (queries > 0) throw inUse(`queries that name it: ${queries}`)
    await deleteSource(trx, organizationId, id)
    const [next] = await listSources(trx, organizationId)
    if (source.is_default === 1 && next) await updateSource(trx, organizationId, next.id, { is_default: 1 })
    await record(trx, caller, 'source_deleted', source, {}, clock.now())
  })
}

/** Throws `invalid` for credentials of the embedded source. */
export function assertWithoutAuth(apiUrl: string, hasAuth: boolean): void {
  if (apiUrl === embedded && hasAuth) throw invalid('auth', 'must be null for the embedded source')
}

function inUse(details: string): AppError {
  return new AppError('conflict', 'Source is in use', { details })
}

/** Stores the source that each new organization gets by `SOURCE_URL`. */
export async function insertFirstSource(trx: Db, organizationId: number, url: string, nowMs: number): Promise<void> {
  const first = { name: 'default', api_url: url, is_active: true, isDefault: true }
  await insertSource(trx, newSource(organizationId, first, nowMs))
}

type NewSource = { name: string; api_url: string; is_active: boolean; isDefault: boolean }

/** Row of a source without credentials, which are sealed for the id that the row gets. */
function newSource(organizationId: number, { name, api_url, is_active, isDefault }: NewSource, nowMs: number) {
  return {
    organization_id: organizationId,
    name,
    api_url,
    sealed_auth: null,
    is_active: flag(is_active),
    is_default: flag(isDefault),
    last_check_at: null,
    last_error: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
}

/** Records an audit event. It contains only whether credentials changed. */
async function record(
  trx: Db,
  caller: Caller,
  event: AuditEvent,
  { id, name, api_url, is_active, is_default }: DataSourceRow,
  also: { auth_changed?: boolean },
  nowMs: number,
): Promise<void> {
  const details = { id, name, api_url, is_active: is_active === 1, is_default: is_default === 1, ...also }
  await recordAudit(trx, caller, { event, details }, nowMs)
}
