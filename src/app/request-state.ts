import { hasUser } from '../auth/accounts/store.ts'
import { isFirstOrganization } from '../auth/organizations/store.ts'
import type { DemoAccess } from '../auth/sessions/demo-access.ts'
import type { Tokens } from '../auth/sessions/tokens.ts'
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import { usableMemoryBytes } from '../concurrency/memory.ts'
import { createSharedReads } from '../concurrency/shared-reads.ts'
import type { WorkerPool } from '../concurrency/worker-pool.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { createMetricWrites } from '../embedded/ingest/otlp/metric-writes.ts'
import { createRemoteWrites } from '../embedded/ingest/remote-writes.ts'
import { createIngestLimits } from '../embedded/ingest/ingest-limits.ts'
import { createSampleRequests } from '../embedded/ingest/sample-requests.ts'
import { createSenders } from '../embedded/ingest/senders.ts'
import { createImports } from '../embedded/storage/import.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import { createRealTimeCache } from '../evaluation/reads/real-time/json-cache.ts'
import { restartBackfills } from '../evaluation/restart-backfills.ts'
import { bodyBudgetBytes, createBodyBudget } from '../http/bodies/body-budget.ts'
import { createStreamedResponses } from '../http/bodies/streamed-responses.ts'
import { createRateLimits } from '../http/connections/limits.ts'
import { createOriginReader } from '../http/headers/origin.ts'
import { createRequestLog } from '../http/request-log.ts'
import { createResponseCache } from '../http/response-cache.ts'
import { createBudgetIncidents } from '../insight/budget-incidents.ts'
import { createIncidentBreakdown } from '../insight/incident-breakdown.ts'
import type { OverviewData } from '../insight/overview-model.ts'
import { createSuggestions } from '../insight/suggestions/suggestions.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { listIncidentSpans } from '../notifications/incidents/incident-list-store.ts'
import { createTestBounds } from '../notifications/test-send.ts'
import { createLargeResults } from '../sli/large-result.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { createExternalReplies } from '../sources/browse/replies.ts'
import { createSourceChecks } from '../sources/health.ts'
import type { SourceOpener } from '../sources/source.ts'
import { createSummary } from '../status/summary-store.ts'
import { createPage } from '../web/page-routes.ts'

type Deps = {
  config: Config
  db: Database
  clock: Clock
  stopwatch: Clock
  log: Log
  metrics: Metrics
  seal: Seal
  opener: SourceOpener
  sourceTimeoutMs: number
  planner: Planner
  tokens: Tokens
  samples: SampleStore
  workers: WorkerPool
  cache: Cache
  demo: DemoAccess
  publicUrl: () => string
}

/** Creates the state that requests share: limits, budgets, caches, and what is read once for several requests. */
export function createRequestState(deps: Deps) {
  const { config, db, clock, stopwatch, cache, sourceTimeoutMs } = deps
  const bodyBudget = createBodyBudget(
    bodyBudgetBytes(usableMemoryBytes(), Math.max(config.bodyLimitBytes, config.ingestBodyLimitBytes)),
  )
  const restartBackfillsAndClear = async (organizationId: number) => {
    const slos = await restartBackfills(db, organizationId, clock.now())
    await cache.remove(organizationId, { type: 'all' })
    return slos
  }
  const sampleRequests = createSampleRequests({ ...deps, bodyBudget, restartBackfills: restartBackfillsAndClear })
  const budgetIncidents = createBudgetIncidents({
    ...deps,
    listSpans: (...args) => listIncidentSpans(db.read, ...args),
  })
  return {
    originOf: createOriginReader(config),
    rateLimits: createRateLimits({ config, stopwatch }),
    bodyBudget,
    answers: createResponseCache({ ...deps, version: db.version }),
    streamedResponses: createStreamedResponses(),
    requestLog: createRequestLog(deps),
    sampleRequests,
    remoteWrites: createRemoteWrites({ ...deps, sampleRequests }),
    metricWrites: createMetricWrites({ ...deps, sampleRequests }),
    senders: createSenders(clock),
    ingestLimits: createIngestLimits(deps),
    imports: createImports({ ...deps, bodyBudget, restartBackfills: restartBackfillsAndClear }),
    summary: createSummary(deps),
    overviewReads: createSharedReads<OverviewData>(db.version),
    realTimeCache: createRealTimeCache(deps),
    budgetIncidents,
    incidentBreakdown: createIncidentBreakdown({ ...deps, budgetIncidents }),
    suggestionsOf: createSuggestions(deps),
    checkSources: createSourceChecks(deps),
    largeResults: createLargeResults(sourceTimeoutMs),
    sourceReplies: createExternalReplies({
      timeoutMs: sourceTimeoutMs,
      maxPerOrganization: Math.max(1, Math.ceil(config.evaluationConcurrency / 2) - 1), // leaves slots to evaluations and stored queries
    }),
    testBounds: createTestBounds(clock),
    page: createPage({ ...deps, settings: createPageSettings(deps) }),
    isFirst: (organizationId: number) => isFirstOrganization(db.read, organizationId),
  }
}

type PageDeps = {
  config: Pick<Config, 'registration' | 'smtpUrl' | 'oidcIssuer' | 'oidcName' | 'oidcOnly' | 'trustedHeaderUser'>
  db: Pick<Database, 'read'>
  demo: DemoAccess
}

/** Settings that the page needs before sign-in: the content of each `<meta>` by its name. */
function createPageSettings({ config, db, demo }: PageDeps): () => Promise<Record<string, string>> {
  let hasAccounts = false
  return async () => {
    hasAccounts ||= await hasUser(db.read)
    return {
      registration: config.registration,
      ...(config.smtpUrl !== null && { mail: 'sent' }),
      ...(!hasAccounts && { setup: 'needed' }),
      ...(config.oidcIssuer !== null && { oidc: config.oidcName }),
      ...(config.oidcOnly === 'true' && { 'oidc-only': 'true' }),
      ...(config.trustedHeaderUser !== null && { proxy: 'trusted' }),
      ...(demo.isRunning() && { demo: 'running' }),
    }
  }
}
