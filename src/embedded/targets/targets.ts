import type { Clock } from '../../clock.ts'
import { type AuditEvent, recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { storeNamed } from '../../db/store-named.ts'
import { flag, type ScrapeTargetRow } from '../../db/tables/tables.ts'
import { invalid } from '../../errors.ts'
import {
  assertAuth,
  changedAuth,
  type EndpointAuth,
  originChange,
  sealAuth,
  unmaskAuth,
  unsealAuth,
} from '../../http/endpoint-auth.ts'
import type { Caller } from '../../http/signed-in.ts'
import { collectedOf, parseSeriesLabels, readSeriesLabels, readTiming } from '../collection/fields.ts'
import type { ScrapeTarget } from '../collection/target.ts'
import { targetRows } from '../collection/collected-store.ts'
import type { TargetCreation, TargetUpdate } from './model.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  /** Metrics that this process exposes, by the name after `nines:`; for the first organization only. */
  inside: ReadonlyMap<string, unknown>
  isFirst: (organizationId: number) => Promise<boolean>
}

/** Stores a target. Throws `conflict` if the name is in use or the quota is used up. */
export async function createTarget(deps: Deps, caller: Caller, creation: TargetCreation): Promise<ScrapeTargetRow> {
  const { organizationId } = caller
  const auth = unmaskAuth(creation.auth ?? null, null)
  assertAuth(auth)
  await assertMayScrape(deps, organizationId, creation.url)
  const labels = readSeriesLabels(creation.labels)
  const timing = readTiming(creation)
  const nowMs = deps.clock.now()
  return storeNamed(deps.db, 'Target', async (trx) => {
    const unsealed = await targetRows.insert(trx, {
      organization_id: organizationId,
      name: creation.name,
      url: creation.url,
      ...timing,
      labels: JSON.stringify(labels),
      honor_labels: flag(creation.honor_labels ?? false),
      sealed_auth: null,
      is_active: flag(creation.is_active ?? true),
      created_at: nowMs,
      updated_at: nowMs,
    })
    const target = await targetRows.update(trx, organizationId, unsealed.id, {
      sealed_auth: sealAuth(deps.seal, auth, 'scrape_targets.sealed_auth', unsealed),
    })
    await record(trx, caller, 'target_created', target, { auth_changed: auth !== null }, nowMs)
    return target
  })
}

/** Changes the given fields only. Stored credentials do not follow to another origin: they must be sent again then. */
export async function changeTarget(
  deps: Deps,
  caller: Caller,
  id: number,
  update: TargetUpdate,
): Promise<ScrapeTargetRow> {
  const { organizationId } = caller
  if (Object.keys(update).length === 0) throw invalid('body', 'must have at least one field of a target')
  await targetRows.get(deps.db.read, organizationId, id) // not found comes before errors of the body
  if (update.url !== undefined) await assertMayScrape(deps, organizationId, update.url)
  return storeNamed(deps.db, 'Target', async (trx) => {
    const before = await targetRows.get(trx, organizationId, id)
    const { name = before.name, url = before.url } = update
    const authBefore = unsealAuth(deps.seal, 'scrape_targets.sealed_auth', before)
    const auth = changedAuth(update.auth, authBefore, originChange(url, before.url))
    const nowMs = deps.clock.now()
    const target = await targetRows.update(trx, organizationId, id, {
      name,
      url,
      ...readTiming(update, before),
      labels: update.labels === undefined ? before.labels : JSON.stringify(readSeriesLabels(update.labels)),
      honor_labels: flag(update.honor_labels ?? before.honor_labels === 1),
      ...(auth === authBefore ? {} : { sealed_auth: sealAuth(deps.seal, auth, 'scrape_targets.sealed_auth', before) }),
      is_active: flag(update.is_active ?? before.is_active === 1),
      updated_at: nowMs,
    })
    const authChanged = !Bun.deepEquals(auth, authBefore)
    await record(trx, caller, 'target_changed', target, { auth_changed: authChanged }, nowMs)
    return target
  })
}

/** Target that a creation would scrape; stores nothing. Throws like `createTarget` for invalid input. */
export async function unsavedTarget(
  deps: Deps,
  organizationId: number,
  creation: TargetCreation,
): Promise<ScrapeTarget> {
  const auth = unmaskAuth(creation.auth ?? null, null)
  assertAuth(auth)
  await assertMayScrape(deps, organizationId, creation.url)
  return trialOf(organizationId, creation, auth)
}

/** Stored target with the changes of an update; stores nothing. Throws like `changeTarget` for invalid input. */
export async function changedTarget(
  deps: Deps,
  organizationId: number,
  id: number,
  update: TargetUpdate,
): Promise<ScrapeTarget> {
  const before = await targetRows.get(deps.db.read, organizationId, id)
  if (update.url !== undefined) await assertMayScrape(deps, organizationId, update.url)
  const { name = before.name, url = before.url, labels = parseSeriesLabels(before) } = update
  const authBefore = unsealAuth(deps.seal, 'scrape_targets.sealed_auth', before)
  const auth = changedAuth(update.auth, authBefore, originChange(url, before.url))
  const honor_labels = update.honor_labels ?? before.honor_labels === 1
  return trialOf(organizationId, { name, url, labels, honor_labels, ...readTiming(update, before) }, auth)
}

function trialOf(organizationId: number, sent: TargetCreation, auth: EndpointAuth | null): ScrapeTarget {
  const timing = readTiming(sent)
  const labels = JSON.stringify(readSeriesLabels(sent.labels))
  const collected = collectedOf({ id: 0, organization_id: organizationId, name: sent.name, ...timing, labels })
  return { ...collected, url: sent.url, honorLabels: sent.honor_labels ?? false, auth }
}

export async function removeTarget(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Caller,
  id: number,
): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const target = await targetRows.get(trx, caller.organizationId, id)
    await targetRows.remove(trx, caller.organizationId, id)
    await record(trx, caller, 'target_deleted', target, {}, clock.now())
  })
}

/** Inserts a target for nines' own metrics, which only the first organization gets. */
export async function insertFirstTarget(trx: Db, organizationId: number, nowMs: number): Promise<void> {
  await targetRows.insert(trx, {
    organization_id: organizationId,
    name: 'nines',
    url: 'nines:metrics',
    ...readTiming({}),
    labels: '{}',
    honor_labels: 0,
    sealed_auth: null,
    is_active: 1,
    created_at: nowMs,
    updated_at: nowMs,
  })
}

/** Target of a row, unsealed, for the collector. */
export function openTarget(seal: Seal, row: ScrapeTargetRow): ScrapeTarget {
  const auth = unsealAuth(seal, 'scrape_targets.sealed_auth', row)
  return { ...collectedOf(row), url: row.url, honorLabels: row.honor_labels === 1, auth }
}

async function assertMayScrape({ inside, isFirst }: Deps, organizationId: number, url: string): Promise<void> {
  if (!url.startsWith('nines:')) return
  if (!inside.has(url.slice('nines:'.length))) {
    throw invalid('url', `must be an http(s) URL, or ${[...inside.keys()].map((name) => `nines:${name}`).join(', ')}`)
  }
  if (await isFirst(organizationId)) return
  throw invalid('url', 'must be an http(s) URL: what nines says of itself is for the first organization')
}

/** Records an audit event, without credentials and query string, which may contain some. */
async function record(
  trx: Db,
  caller: Caller,
  event: AuditEvent,
  { id, name, url, is_active }: ScrapeTargetRow,
  also: { auth_changed?: boolean },
  nowMs: number,
): Promise<void> {
  const details = { id, name, url: url.replace(/\?.*$/s, ''), is_active: is_active === 1, ...also }
  await recordAudit(trx, caller, { event, details }, nowMs)
}
