import type { Db } from '../../db/open.ts'
import type { Statements } from '../../db/sqlite.ts'

/**
 * Records the version that is starting. After an upgrade, the version before it is stored for each administrator of the first
 * organization until that person closes the news. Somebody with open news of an earlier upgrade keeps the earlier version. A downgrade
 * closes the news of everybody.
 */
export function recordStart(db: Statements, version: string): void {
  const previousVersion =
    db.prepare<[], { version: string | null }>('SELECT version FROM instance').get()?.version ?? null
  if (previousVersion === version) return
  if (previousVersion !== null && Bun.semver.order(previousVersion, version) < 0) {
    const administrators = `role = 'admin' AND organization_id = (SELECT min(id) FROM organizations)`
    db.prepare(`UPDATE users SET upgraded_from = ? WHERE upgraded_from IS NULL AND ${administrators}`).run(
      previousVersion,
    )
  } else db.prepare('UPDATE users SET upgraded_from = NULL WHERE upgraded_from IS NOT NULL').run()
  db.prepare('UPDATE instance SET version = ?').run(version) // last: a start that was cut short does the above again
}

/** Version before the upgrades whose news a user has not closed; null: none. */
export async function readUpgradedFrom(db: Db, organizationId: number, userId: number): Promise<string | null> {
  const user = await db
    .selectFrom('users')
    .select('upgraded_from')
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .executeTakeFirst()
  return user?.upgraded_from ?? null
}

/** Closes the news of a user. */
export async function closeNews(db: Db, organizationId: number, userId: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ upgraded_from: null })
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .execute()
}
