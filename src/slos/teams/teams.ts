import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { TeamRow } from '../../db/tables/tables.ts'
import { AppError, nameInUse } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { countSlosOfTeam, deleteTeam, getTeam, insertTeam, listTeamNames, updateTeam } from './store.ts'

type Deps = { db: Database; clock: Clock }

/** Team of SLOs that name none. It is created with the organization and cannot be deleted. */
const defaultTeamId = 1

/** Creates a team. Throws `conflict` if another team of the organization has the name, ignoring case. */
export async function createTeam({ db, clock }: Deps, caller: Caller, name: string): Promise<TeamRow> {
  const nowMs = clock.now()
  return db.write.transaction().execute(async (trx) => {
    await assertNameFree(trx, caller.organizationId, name)
    const team = await insertTeam(trx, caller.organizationId, name, nowMs)
    await recordAudit(trx, caller, { event: 'team_created', details: { team_id: team.id, name } }, nowMs)
    return team
  })
}

/** Renames a team; throws `conflict` as `createTeam` does. */
export async function renameTeam({ db, clock }: Deps, caller: Caller, id: number, name: string): Promise<TeamRow> {
  return db.write.transaction().execute(async (trx) => {
    const before = await getTeam(trx, caller.organizationId, id)
    if (before.name === name) return before
    await assertNameFree(trx, caller.organizationId, name, id)
    const team = await updateTeam(trx, caller.organizationId, id, { name })
    const details = { team_id: id, name, name_before: before.name }
    await recordAudit(trx, caller, { event: 'team_changed', details }, clock.now())
    return team
  })
}

/** Deletes a team. Throws `conflict` for the default team, and while SLOs, including deleted ones, belong to the team. */
export async function removeTeam({ db, clock }: Deps, caller: Caller, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const team = await getTeam(trx, caller.organizationId, id)
    if (id === defaultTeamId) throw new AppError('conflict', 'The default team cannot be deleted')
    const slos = await countSlosOfTeam(trx, caller.organizationId, id)
    if (slos > 0) {
      throw new AppError('conflict', 'Team is in use', { details: `SLOs of the team, deleted ones too: ${slos}` })
    }
    await deleteTeam(trx, caller.organizationId, id)
    await recordAudit(trx, caller, { event: 'team_deleted', details: { team_id: id, name: team.name } }, clock.now())
  })
}

/** Throws `conflict` if another team has the name. Compared here, because SQLite ignores case only in ASCII. */
async function assertNameFree(trx: Db, organizationId: number, name: string, ownId?: number): Promise<void> {
  const others = (await listTeamNames(trx, organizationId)).filter(({ id }) => id !== ownId)
  if (!others.some((other) => nameKey(other.name) === nameKey(name))) return
  throw nameInUse('Team')
}

function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
