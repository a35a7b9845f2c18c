import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { sealedEdits } from '../../db/sealed-edits.ts'
import { flag, type ScrapeTargetRow } from '../../db/tables/tables.ts'
import { invalid, readAll } from '../../errors.ts'
import { changedAuth, type EndpointAuth, originChange, unsealAuth } from '../../http/endpoint-auth.ts'
import type { Caller } from '../../http/signed-in.ts'
import { targetRows } from '../collection/collected-store.ts'
import { collectedOf, readCollected } from '../collection/fields.ts'
import type { Item } from '../collection/item.ts'
import type { ScrapeTarget } from '../collection/target.ts'
import type { TargetCreation, TargetUpdate } from './model.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  /** Metrics that this process exposes, by the name after `nines:`; for the first organization only. */
  internalTargets: ReadonlyMap<string, unknown>
  isFirst: (organizationId: number) => Promise<boolean>
}

/** The audit log leaves out credentials and the query string, which may contain some. */
const edits = sealedEdits(targetRows, {
  sealed: 'sealed_auth',
  event: 'target',
  audited: ({ id, name, url, is_active }) => ({ id, name, url: url.replace(/\?.*$/s, ''), is_active: is_active === 1 }),
})

export const removeTarget = edits.remove

/** Stores a target. Throws `conflict` if the name is in use or the quota is used up. */
export async function createTarget(deps: Deps, caller: Caller, creation: TargetCreation): Promise<ScrapeTargetRow> {
  await assertMayScrape(deps, caller.organizationId, creation.url)
  const { columns, auth } = readTarget(creation)
  return edits.create(deps, caller, () => ({ columns, secret: auth, also: { auth_changed: auth !== null } }))
}

/** Changes the given fields only. Stored credentials do not follow to another origin: they must be sent again then. */
export async function changeTarget(
  deps: Deps,
  caller: Caller,
  id: number,
  update: TargetUpdate,
): Promise<ScrapeTargetRow> {
  if (update.url !== undefined) {
    await targetRows.get(deps.db.read, caller.organizationId, id) // not found comes before errors of the body
    await assertMayScrape(deps, caller.organizationId, update.url)
  }
  return edits.change(deps, caller, { id, update }, (row) => {
    const stored = { row, auth: authOf(deps.seal, row) }
    const { columns, auth } = readTarget({ name: row.name, url: row.url, ...update }, stored)
    const isChanged = !Bun.deepEquals(auth, stored.auth)
    return { columns, ...(isChanged && { secret: auth }), also: { auth_changed: isChanged } }
  })
}

/** Target that a creation would scrape; stores nothing. Throws like `createTarget` for invalid input. */
export async function unsavedTarget(deps: Deps, organizationId: number, creation: TargetCreation): Promise<Item> {
  await assertMayScrape(deps, organizationId, creation.url)
  return trialOf(organizationId, readTarget(creation))
}

/** Stored target with the changes of an update; stores nothing. Throws like `changeTarget` for invalid input. */
export async function changedTarget(
  deps: Deps,
  organizationId: number,
  id: number,
  update: TargetUpdate,
): Promise<Item> {
  const row = await targetRows.get(deps.db.read, organizationId, id)
  if (update.url !== undefined) await assertMayScrape(deps, organizationId, update.url)
  const stored = { row, auth: authOf(deps.seal, row) }
  return trialOf(organizationId, readTarget({ name: row.name, url: row.url, ...update }, stored))
}

/** Inserts a target for nines' own metrics, which only the first organization gets. */
export async function insertFirstTarget(trx: Db, organizationId: number, nowMs: number): Promise<void> {
  const { columns } = readTarget({ name: 'nines', url: 'nines:metrics' })
  const stored = { organization_id: organizationId, sealed_auth: null, created_at: nowMs, updated_at: nowMs }
  await targetRows.insert(trx, { ...columns, ...stored })
}

/** Target of a row, unsealed, for the collector. */
export function openTarget(seal: Seal, row: ScrapeTargetRow): ScrapeTarget {
  return targetOf(row, authOf(seal, row))
}

type Stored = { row: ScrapeTargetRow; auth: EndpointAuth | null }

/** Columns and credentials of a target: as sent, otherwise as stored, otherwise the defaults. Throws `invalid`. */
function readTarget(sent: TargetCreation, stored?: Stored) {
  const changeOfOrigin = stored ? originChange(sent.url, stored.row.url) : null
  const [auth, collected] = readAll(
    () => changedAuth(sent.auth, stored?.auth ?? null, changeOfOrigin, sent.url),
    () => readCollected(sent, stored?.row),
  )
  const honor_labels = flag(sent.honor_labels ?? stored?.row.honor_labels === 1)
  return { columns: { ...collected, url: sent.url, honor_labels }, auth }
}

function trialOf(organizationId: number, { columns, auth }: ReturnType<typeof readTarget>): Item {
  return { kind: 'target', definition: targetOf({ id: 0, organization_id: organizationId, ...columns }, auth) }
}

type Columns = Parameters<typeof collectedOf>[0] & Pick<ScrapeTargetRow, 'url' | 'honor_labels'>

function targetOf(row: Columns, auth: EndpointAuth | null): ScrapeTarget {
  return { ...collectedOf(row), url: row.url, honorLabels: row.honor_labels === 1, auth }
}

function authOf(seal: Seal, row: ScrapeTargetRow): EndpointAuth | null {
  return unsealAuth(seal, 'scrape_targets.sealed_auth', row)
}

async function assertMayScrape({ internalTargets, isFirst }: Deps, organizationId: number, url: string): Promise<void> {
  if (!url.startsWith('nines:')) return
  if (!internalTargets.has(url.slice('nines:'.length))) {
    throw invalid(
      'url',
      `must be an http(s) URL, or ${[...internalTargets.keys()].map((name) => `nines:${name}`).join(', ')}`,
    )
  }
  if (await isFirst(organizationId)) return
  throw invalid('url', 'must be an http(s) URL: what nines says of itself is for the first organization')
}
