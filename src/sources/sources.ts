import type { Clock } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'
import { sealedEdits } from '../db/sealed-edits.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { type DataSourceRow, flag } from '../db/tables/tables.ts'
import { AppError, invalid } from '../errors.ts'
import { changedAuth, originChange, unsealAuth } from '../http/endpoint-auth.ts'
import type { Caller } from '../http/signed-in.ts'
import { embeddedUrl } from './embedded-source.ts'
import type { SourceCreation, SourceUpdate } from './model.ts'
import { countQueriesOfSource } from './stored-queries/store.ts'
import { clearDefaultSource, countSlosOfSource, findDefaultSource, sourceRows } from './store.ts'

type Deps = { db: Database; clock: Clock; seal: Seal }

/** Edits of sources. The audit log says whether credentials changed, but does not contain them. */
const edits = sealedEdits(sourceRows, {
  sealed: 'sealed_auth',
  event: 'source',
  audited: ({ id, name, api_url, is_active, is_default }) => ({
    id,
    name,
    api_url,
    is_active: is_active === 1,
    is_default: is_default === 1,
  }),
})

/** Stores a source; the first of an organization always becomes its default. Throws `conflict` for a name in use. */
export async function createSource(deps: Deps, caller: Caller, creation: SourceCreation): Promise<DataSourceRow> {
  const auth = changedAuth(creation.auth, null, null, creation.api_url)
  assertWithoutAuth(creation.api_url, auth !== null)
  return edits.create(deps, caller, async (trx) => {
    const hasDefault = (await findDefaultSource(trx, caller.organizationId)) !== undefined
    const isDefault = !hasDefault || creation.is_default === true
    if (isDefault) await clearDefaultSource(trx, caller.organizationId)
    const { name, api_url, is_active = true } = creation
    const columns = { ...unchecked, name, api_url, is_active: flag(is_active), is_default: flag(isDefault) }
    return { columns, secret: auth, also: { auth_changed: auth !== null } }
  })
}

/** Changes only the given fields. Credentials must be sent again for another origin. The default is moved, never unset. */
export async function changeSource(
  deps: Deps,
  caller: Caller,
  id: number,
  update: SourceUpdate,
): Promise<DataSourceRow> {
  return edits.change(deps, caller, { id, update }, async (before, trx) => {
    const { auth: givenAuth, is_active, is_default, ...fields } = update
    if (is_default === false && before.is_default === 1)
      throw invalid('is_default', 'cannot be false: make another source the default instead')
    const apiUrl = fields.api_url ?? before.api_url
    const move = originChange(apiUrl, before.api_url)
    // credentials are unsealed only if needed, so that other fields can be changed even if the key of the seal is lost
    const isAuthNeeded = givenAuth !== undefined || (move !== null && before.sealed_auth !== null)
    const authBefore = isAuthNeeded ? unsealAuth(deps.seal, 'data_sources.sealed_auth', before) : null
    const auth = isAuthNeeded ? changedAuth(givenAuth, authBefore, move, apiUrl) : undefined
    assertWithoutAuth(apiUrl, auth === undefined ? before.sealed_auth !== null : auth !== null)
    if (is_default) await clearDefaultSource(trx, caller.organizationId)
    const columns = {
      ...fields,
      ...(is_active !== undefined && { is_active: flag(is_active) }),
      ...(is_default && { is_default: flag(true) }),
    }
    return { columns, secret: auth, also: { auth_changed: auth !== undefined && !Bun.deepEquals(auth, authBefore) } }
  })
}

/** Deletes a source. Throws `conflict` while SLOs or stored queries name it. The default passes to the oldest other one. */
export async function removeSource(deps: Omit<Deps, 'seal'>, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await edits.remove(deps, caller, id, async (source, trx) => {
    const slos = await countSlosOfSource(trx, organizationId, id)
    if (slos > 0) throw inUse(`SLOs that name it: ${slos}`)
    const queries = await countQueriesOfSource(trx, organizationId, id)
    if (queries > 0) throw inUse(`queries that name it: ${queries}`)
    if (source.is_default === 0) return
    const next = (await sourceRows.list(trx, organizationId)).find((other) => other.id !== id)
    if (!next) return
    await clearDefaultSource(trx, organizationId)
    await sourceRows.update(trx, organizationId, next.id, { is_default: 1 })
  })
}

/** Throws `invalid` for credentials of the embedded source. */
export function assertWithoutAuth(apiUrl: string, hasAuth: boolean): void {
  if (apiUrl === embeddedUrl && hasAuth) throw invalid('auth', 'cannot be sent with the embedded source')
}

function inUse(details: string): AppError {
  return new AppError('conflict', 'Source is in use', { details })
}

/** Columns of a source that has not been checked yet. */
const unchecked = { last_check_at: null, last_error: null }

/** Stores the source that each new organization gets by `SOURCE_URL`. */
export async function insertFirstSource(trx: Db, organizationId: number, url: string, nowMs: number): Promise<void> {
  await sourceRows.insert(trx, {
    ...unchecked,
    organization_id: organizationId,
    name: 'default',
    api_url: url,
    sealed_auth: null,
    is_active: 1,
    is_default: 1,
    created_at: nowMs,
    updated_at: nowMs,
  })
}
