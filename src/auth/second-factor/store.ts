import type { Selectable } from 'kysely'
import type { Db } from '../../db/open.ts'
import { countOf } from '../../db/page-of.ts'
import type { Tables, UserRow } from '../../db/tables/tables.ts'

export type SecondFactorRow = Selectable<Tables['second_factors']>

/** Second factor that a user is asked for at a sign-in; undefined if there is none, or its set-up has only begun. */
export async function findSecondFactor(db: Db, userId: number): Promise<SecondFactorRow | undefined> {
  const factor = db.selectFrom('second_factors').selectAll().where('user_id', '=', userId)
  return factor.where('confirmed_at', 'is not', null).executeTakeFirst()
}

/** Second factor of a user, also one whose set-up has only begun. */
export async function findBegunFactor(db: Db, userId: number): Promise<SecondFactorRow | undefined> {
  return db.selectFrom('second_factors').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

/** Stores the secret of a set-up that has begun, in place of an earlier one. No sign-in asks for its codes before `confirmFactor`. */
export async function putBegunFactor(
  trx: Db,
  user: Pick<UserRow, 'id' | 'organization_id'>,
  sealedSecret: string,
  nowMs: number,
): Promise<void> {
  await trx.deleteFrom('second_factors').where('user_id', '=', user.id).execute()
  await trx
    .insertInto('second_factors')
    .values({
      user_id: user.id,
      organization_id: user.organization_id,
      sealed_secret: sealedSecret,
      created_at: nowMs,
      confirmed_at: null,
      last_step: null,
    })
    .execute()
}

export async function confirmFactor(trx: Db, userId: number, step: number, nowMs: number): Promise<void> {
  const set = { confirmed_at: nowMs, last_step: step }
  await trx.updateTable('second_factors').set(set).where('user_id', '=', userId).execute()
}

/** Deletes the second factor of a user with all recovery codes and open sign-ins; true if it had been set up. */
export async function deleteSecondFactor(trx: Db, userId: number): Promise<boolean> {
  const factor = await findSecondFactor(trx, userId)
  await trx.deleteFrom('second_factors').where('user_id', '=', userId).execute()
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await trx.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute()
  return factor !== undefined
}

/** Marks a time step of TOTP as used; false if it, or a later one, was used before. */
export async function spendStep(trx: Db, userId: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where((is) => is.or([is('last_step', 'is', null), is('last_step', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks a recovery code as used; false if there is none with this hash, or it was used before. */
export async function spendRecoveryCode(trx: Db, userId: number, hash: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('recovery_codes')
    .set({ used_at: nowMs })
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Replaces the recovery codes of a user by those with the hashes. */
export async function replaceRecoveryCodes(trx: Db, userId: number, hashes: string[]): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const rows = hashes.map((hash) => ({ user_id: userId, hash, used_at: null }))
  await trx.insertInto('recovery_codes').values(rows).execute()
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  return countOf(db.selectFrom('recovery_codes').where('user_id', '=', userId).where('used_at', 'is', null))
}

/** Ids of the users of an organization who have a second factor. */
export async function listFactorOwners(db: Db, organizationId: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('second_factors')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('confirmed_at', 'is not', null)
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}
