import type { Clock } from '../../clock.ts'
import { type AuditEvent, recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { storeNamed } from '../../db/store-named.ts'
import { flag, type ProbeRow } from '../../db/tables/tables.ts'
import { invalid } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { collectedOf, parseSeriesLabels, readSeriesLabels, readTiming } from '../collection/fields.ts'
import type { Probe as CollectedProbe } from '../collection/target.ts'
import type { ProbeCreation, ProbeUpdate } from './model.ts'
import { probeRows } from '../collection/collected-store.ts'
import { assertType, openProbe, readTargetAndSettings, sealSettings } from './settings.ts'

type Deps = { db: Database; clock: Clock; seal: Seal }

/** Stores a probe. Throws `conflict` if the name is in use or the quota is used up. */
export async function createProbe(
  { db, clock, seal }: Deps,
  caller: Caller,
  creation: ProbeCreation,
): Promise<ProbeRow> {
  const { organizationId } = caller
  const type = assertType(creation.type)
  const trying = readTargetAndSettings(type, creation.target, creation.settings, null)
  const labels = readSeriesLabels(creation.labels)
  const timing = readTiming(creation)
  const nowMs = clock.now()
  return storeNamed(db, 'Probe', async (trx) => {
    const unsealed = await probeRows.insert(trx, {
      organization_id: organizationId,
      name: creation.name,
      type,
      target: trying.target,
      ...timing,
      labels: JSON.stringify(labels),
      sealed_settings: '',
      is_active: flag(creation.is_active ?? true),
      created_at: nowMs,
      updated_at: nowMs,
    })
    const probe = await probeRows.update(trx, organizationId, unsealed.id, {
      sealed_settings: sealSettings(seal, trying, unsealed),
    })
    await record(trx, caller, 'probe_created', probe, {}, nowMs)
    return probe
  })
}

/** Changes the given fields only. Settings are replaced as a whole; the type cannot change. */
export async function changeProbe(
  { db, clock, seal }: Deps,
  caller: Caller,
  id: number,
  update: ProbeUpdate,
): Promise<ProbeRow> {
  const { organizationId } = caller
  if (Object.keys(update).length === 0) throw invalid('body', 'must have at least one field of a probe')
  return storeNamed(db, 'Probe', async (trx) => {
    const before = await probeRows.get(trx, organizationId, id)
    assertSameType(update, before)
    const { name = before.name, target = before.target } = update
    const tryingBefore = openProbe(seal, before)
    const trying = readTargetAndSettings(before.type, target, update.settings, tryingBefore)
    const settingsChanged = !Bun.deepEquals(trying.settings, tryingBefore.settings)
    const nowMs = clock.now()
    const probe = await probeRows.update(trx, organizationId, id, {
      name,
      target,
      ...readTiming(update, before),
      labels: update.labels === undefined ? before.labels : JSON.stringify(readSeriesLabels(update.labels)),
      ...(settingsChanged && { sealed_settings: sealSettings(seal, trying, before) }),
      is_active: flag(update.is_active ?? before.is_active === 1),
      updated_at: nowMs,
    })
    await record(trx, caller, 'probe_changed', probe, { settings_changed: settingsChanged }, nowMs)
    return probe
  })
}

/** Probe that a creation would run; stores nothing. Throws like `createProbe` for invalid input. */
export function unsavedProbe(organizationId: number, creation: ProbeCreation): CollectedProbe {
  const type = assertType(creation.type)
  return trialOf(organizationId, creation, readTargetAndSettings(type, creation.target, creation.settings, null))
}

/** Stored probe with the changes of an update; stores nothing. Throws like `changeProbe` for invalid input. */
export async function changedProbe(
  { db, seal }: Pick<Deps, 'db' | 'seal'>,
  organizationId: number,
  id: number,
  update: ProbeUpdate,
): Promise<CollectedProbe> {
  const before = await probeRows.get(db.read, organizationId, id)
  assertSameType(update, before)
  const { name = before.name, target = before.target, labels = parseSeriesLabels(before) } = update
  const trying = readTargetAndSettings(before.type, target, update.settings, openProbe(seal, before))
  return trialOf(organizationId, { name, labels, ...readTiming(update, before) }, trying)
}

function trialOf(
  organizationId: number,
  sent: Pick<ProbeCreation, 'name' | 'labels' | 'interval_seconds' | 'timeout_seconds'>,
  trying: ReturnType<typeof readTargetAndSettings>,
): CollectedProbe {
  const labels = JSON.stringify(readSeriesLabels(sent.labels))
  const timing = readTiming(sent)
  return { ...collectedOf({ id: 0, organization_id: organizationId, name: sent.name, ...timing, labels }), ...trying }
}

function assertSameType({ type }: ProbeUpdate, before: ProbeRow): void {
  if (type !== undefined && type !== before.type)
    throw invalid('type', `must be ${before.type}: the type of a probe stays`)
}

export async function removeProbe(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Caller,
  id: number,
): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const probe = await probeRows.get(trx, caller.organizationId, id)
    await probeRows.remove(trx, caller.organizationId, id)
    await record(trx, caller, 'probe_deleted', probe, {}, clock.now())
  })
}

/** Records an audit event, without settings and query string: either may contain credentials. */
async function record(
  trx: Db,
  caller: Caller,
  event: AuditEvent,
  { id, name, type, target, is_active }: ProbeRow,
  also: { settings_changed?: boolean },
  nowMs: number,
): Promise<void> {
  const details = { id, name, type, target: target.replace(/\?.*$/s, ''), is_active: is_active === 1, ...also }
  await recordAudit(trx, caller, { event, details }, nowMs)
}
