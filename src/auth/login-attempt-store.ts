import type { Db } from '../db/open.ts'

type Counted = { column: 'email_key' | 'ip'; value: string }

/** When the `nth` newest failed login after `sinceMs` happened, of one account or one address; nothing if there are fewer. */
export async function nthNewestFailure(
  db: Db,
  { column, value }: Counted,
  nth: number,
  sinceMs: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('login_attempts')
    .select('attempted_at')
    .where(column, '=', value)
    .where('attempted_at', '>', sinceMs)
    .orderBy('attempted_at', 'desc')
    .offset(nth - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.attempted_at
}

/** Forgets the failed logins of an account: those from one address, or all. */
export async function deleteFailures(db: Db, emailKey: string, address?: string): Promise<void> {
  const forgetting = db.deleteFrom('login_attempts').where('email_key', '=', emailKey)
  await (address === undefined ? forgetting : forgetting.where('ip', '=', address)).execute()
}
