import { hasUser } from '../auth/accounts/store.ts'
import { isFirstOrganization } from '../auth/organizations/store.ts'
import type { DemoAccess } from '../auth/sessions/demo-access.ts'
import type { Tokens } from '../auth/sessions/tokens.ts'
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import { usableMemoryBytes } from '../concurrency/memory.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { createImports } from '../embedded/storage/import.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import { restartBackfills } from '../evaluation/restart-backfills.ts'
import { bodyBudgetBytes, createBodyBudget } from '../http/bodies/body-budget.ts'
import { createStreamedResponses } from '../http/bodies/streamed-responses.ts'
import { createRateLimits } from '../http/connections/limits.ts'
import { createOriginReader } from '../http/headers/origin.ts'
import { createRequestLog } from '../http/request-log.ts'
import { createResponseCache } from '../http/response-cache.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { createSummary } from '../status/summary-store.ts'
import { createPage } from '../web/page-routes.ts'

type Deps = {
  config: Config
  db: Database
  clock: Clock
  stopwatch: Clock
  log: Log
  metrics: Metrics
  tokens: Tokens
  samples: SampleStore
  cache: Cache
  demo: DemoAccess
  publicUrl: () => string
}

/** Creates the state that requests share: limits, budgets, caches, and what is read once for several requests. */
export function createRequestState(deps: Deps) {
  const { config, db, clock, stopwatch, cache } = deps
  const bodyBudget = createBodyBudget(bodyBudgetBytes(usableMemoryBytes(), config.bodyLimitBytes))
  const restartBackfillsAndClear = async (organizationId: number) => {
    const slos = await restartBackfills(db, organizationId, clock.now())
    await cache.remove(organizationId, { type: 'all' })
    return slos
  }
  return {
    originOf: createOriginReader(config),
    rateLimits: createRateLimits({ config, stopwatch }),
    bodyBudget,
    answers: createResponseCache({ ...deps, version: db.version }),
    streamedResponses: createStreamedResponses(),
    requestLog: createRequestLog(deps),
    imports: createImports({ ...deps, bodyBudget, restartBackfills: restartBackfillsAndClear }),
    summary: createSummary(deps),
    page: createPage({ ...deps, settings: createPageSettings(deps) }),
    isFirst: (organizationId: number) => isFirstOrganization(db.read, organizationId),
  }
}

type PageDeps = { config: Pick<Config, 'registration' | 'smtpUrl'>; db: Pick<Database, 'read'>; demo: DemoAccess }

/** Settings that the page needs before sign-in: the content of each `<meta>` by its name. */
function createPageSettings({ config, db, demo }: PageDeps): () => Promise<Record<string, string>> {
  let hasAccounts = false
  return async () => {
    hasAccounts ||= await hasUser(db.read)
    return {
      registration: config.registration,
      ...(config.smtpUrl !== null && { mail: 'sent' }),
      ...(!hasAccounts && { setup: 'needed' }),
      ...(demo.isRunning() && { demo: 'running' }),
    }
  }
}
