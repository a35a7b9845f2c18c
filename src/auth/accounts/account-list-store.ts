import type { Db } from '../../db/open.ts'

/** Every account of this nines, oldest first, with its organization and its last sign-in that the audit log still has. */
export async function listAccounts(db: Db) {
  const signIns = db
    .selectFrom('audit_log')
    .select(['user_id', (q) => q.fn.max('created_at').as('last_login_at')])
    .where('event', '=', 'login')
    .where('outcome', '=', 'success')
    .groupBy('user_id')
    .as('sign_ins')
  return db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .leftJoin(signIns, 'sign_ins.user_id', 'users.id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'users.role',
      'users.created_at',
      'users.email_confirmed_at',
      'organizations.id as organization_id',
      'organizations.name as organization_name',
      'sign_ins.last_login_at',
    ])
    .orderBy('users.id')
    .execute()
}
