import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { TeamRow } from '../../db/tables/tables.ts'
import { AppError, invalid, nameInUse } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { parsePolicy, readPolicy } from '../budget-policy.ts'
import { countSlosOfTeam, deleteTeam, getTeam, insertTeam, listTeamNames, updateTeam } from './store.ts'

type Deps = { db: Database; clock: Clock }

/** Team of SLOs that name none. It is created with the organization and cannot be deleted. */
const defaultTeamId = 1

/** A team as sent to the API. `budget_policy`: not validated yet; `readPolicy` does it. */
export type SentTeam = { name: string; budget_policy?: unknown }

/**
 * Creates a team. Throws `invalid` for an invalid policy, and `conflict` if another team of the organization has the name, ignoring case.
 */
export async function createTeam({ db, clock }: Deps, caller: Caller, sent: SentTeam): Promise<TeamRow> {
  const nowMs = clock.now()
  const { name } = sent
  const policy = readPolicy(sent.budget_policy)
  const budget_policy = JSON.stringify(policy)
  return db.write.transaction().execute(async (trx) => {
    await assertNameFree(trx, caller.organizationId, name)
    const team = await insertTeam(trx, caller.organizationId, { name, budget_policy }, nowMs)
    const details = { team_id: team.id, name, ...(policy.length > 0 && { budget_policy: policy }) }
    await recordAudit(trx, caller, { event: 'team_created', details }, nowMs)
    return team
  })
}

/** Changes the given fields of a team; throws as `createTeam` does. */
export async function changeTeam(
  { db, clock }: Deps,
  caller: Caller,
  id: number,
  sent: Partial<SentTeam>,
): Promise<TeamRow> {
  if (sent.name === undefined && sent.budget_policy === undefined) {
    throw invalid('body', 'must have at least one known field of a team')
  }
  const policy = sent.budget_policy === undefined ? undefined : JSON.stringify(readPolicy(sent.budget_policy))
  return db.write.transaction().execute(async (trx) => {
    const stored = await getTeam(trx, caller.organizationId, id)
    const { name = stored.name } = sent
    const budget_policy = policy ?? stored.budget_policy
    const isRenamed = name !== stored.name
    const hasOtherPolicy = budget_policy !== stored.budget_policy
    if (!isRenamed && !hasOtherPolicy) return stored
    if (isRenamed) await assertNameFree(trx, caller.organizationId, name, id)
    const team = await updateTeam(trx, caller.organizationId, id, { name, budget_policy })
    const details = {
      team_id: id,
      name,
      ...(isRenamed && { name_before: stored.name }),
      ...(hasOtherPolicy && { budget_policy: parsePolicy(team), budget_policy_before: parsePolicy(stored) }),
    }
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
