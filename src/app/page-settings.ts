import { hasUser } from '../auth/accounts/store.ts'
import type { DemoAccess } from '../auth/sessions/demo-access.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'

type Deps = { config: Pick<Config, 'registration'>; db: Pick<Database, 'read'>; demo: DemoAccess }

/** Settings that the page needs before sign-in: the content of each `<meta>` by its name. */
export function createPageSettings({ config, db, demo }: Deps): () => Promise<Record<string, string>> {
  let hasAccounts = false
  return async () => {
    hasAccounts ||= await hasUser(db.read)
    return {
      registration: config.registration,
      ...(!hasAccounts && { setup: 'needed' }),
      ...(demo.isRunning() && { demo: 'running' }),
    }
  }
}
