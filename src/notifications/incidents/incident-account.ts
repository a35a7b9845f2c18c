import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { IncidentAccountRow } from '../../db/tables/tables.ts'
import { AppError, notFound } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import type { IncidentAccountUpdate } from './incident-account-model.ts'
import { getIncident } from './incident-list-store.ts'

type Deps = { db: Database; clock: Clock }

/** Account of an incident; undefined: there is none, or it was deleted. */
export async function findAccount(db: Db, incidentId: number): Promise<IncidentAccountRow | undefined> {
  const row = await findRow(db, incidentId)
  return row?.text === '' ? undefined : row
}

/** Throws `not_found` for an incident of another organization, and where there is no account. */
export async function getAccount(db: Db, organizationId: number, incidentId: number): Promise<IncidentAccountRow> {
  await getIncident(db, organizationId, incidentId)
  const row = await findAccount(db, incidentId)
  if (!row) throw notFound('Account of the incident')
  return row
}

/**
 * Writes the account of an incident, open or closed. Throws `not_found`, and `conflict` if `version` is given and is not that of the
 * stored one (0: there is none).
 */
export async function writeAccount(
  { db, clock }: Deps,
  caller: Caller,
  incidentId: number,
  { text, url = '', version }: IncidentAccountUpdate,
): Promise<IncidentAccountRow> {
  return db.write.transaction().execute(async (trx) => {
    const incident = await getIncident(trx, caller.organizationId, incidentId)
    const previous = await findRow(trx, incidentId)
    const currentVersion = previous && previous.text !== '' ? previous.version : 0
    if (version !== undefined && version !== currentVersion) {
      const by = previous ? `${previous.user_name} changed it` : 'there is none'
      const details = `version: must be ${currentVersion}, since ${by}; got ${version}`
      throw new AppError('conflict', 'The account has changed', { details })
    }
    const updated = { text, url, ...changeBy(caller, previous, clock.now()) }
    await store(trx, incidentId, updated)
    const details = {
      incident_id: incidentId,
      slo_id: incident.slo_id,
      version: updated.version,
      characters: text.length,
    }
    await recordAudit(trx, caller, { event: 'incident_account_written', details }, updated.updated_at)
    return { incident_id: incidentId, ...updated }
  })
}

/** Deletes the account of an incident. Throws `not_found` where there is none. */
export async function deleteAccount({ db, clock }: Deps, caller: Caller, incidentId: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const incident = await getIncident(trx, caller.organizationId, incidentId)
    const previous = await getAccount(trx, caller.organizationId, incidentId)
    const updated = { text: '', url: '', ...changeBy(caller, previous, clock.now()) } // keeps the version, for later conflicts
    await store(trx, incidentId, updated)
    const details = { incident_id: incidentId, slo_id: incident.slo_id, version: previous.version }
    await recordAudit(trx, caller, { event: 'incident_account_deleted', details }, updated.updated_at)
  })
}

function changeBy({ userId, name }: Caller, previous: IncidentAccountRow | undefined, nowMs: number) {
  return { version: (previous?.version ?? 0) + 1, user_id: userId, user_name: name, updated_at: nowMs }
}

async function store(trx: Db, incident_id: number, updated: Omit<IncidentAccountRow, 'incident_id'>): Promise<void> {
  await trx
    .insertInto('incident_accounts')
    .values({ incident_id, ...updated })
    .onConflict((conflict) => conflict.column('incident_id').doUpdateSet(updated))
    .execute()
}

async function findRow(db: Db, incidentId: number): Promise<IncidentAccountRow | undefined> {
  return db.selectFrom('incident_accounts').selectAll().where('incident_id', '=', incidentId).executeTakeFirst()
}
