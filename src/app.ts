import { definitionCountsEvents } from './ledger/measure/measure-ledger.ts'
import { createCertificates } from './app/watch/certificates.ts'
import { createSelfMonitoring } from './app/watch/self-monitoring.ts'
import { createLive } from './app/create-live.ts'
import { createIntegrity } from './app/watch/integrity.ts'
import { createDeduplicatingLog, createConfiguredLog } from './app/log.ts'
import { createMailAllowance } from './app/mail-allowance.ts'
import { createQueries, openSources } from './app/open-sources.ts'
import { openFiles } from './app/open-files.ts'
import { createChannelDeps, openOutbound, publicUrlOf } from './app/outbound.ts'
import { createRequestState } from './app/request-state.ts'
import { createQuotaUse, createOrganizationProvisioner } from './app/organizations.ts'
import { watchClock } from './app/clocks.ts'
import { createRemoteWrite, readRemoteWriteMatch } from './app/remote-write.ts'
import { openBucket } from './app/backups/bucket.ts'
import { assertBackupSettings, createScheduledBackups, type WriteBackup } from './app/backups/scheduled-backups.ts'
import { createSloSamples } from './app/slo-samples.ts'
import { createApiTokenCredential } from './auth/api-tokens/credential.ts'
import { oauthCredential } from './auth/oauth/credential.ts'
import { openOidc } from './auth/external/open-oidc.ts'
import { createProxyPersonReader } from './auth/external/trusted-header.ts'
import { createPasswords, type PasswordCost } from './auth/passwords/passwords.ts'
import { createRefusals } from './auth/audit/refusals.ts'
import { createSetupToken } from './auth/accounts/setup-token.ts'
import { createDemoAccess } from './auth/sessions/demo-access.ts'
import { createThrottle } from './auth/sessions/throttle.ts'
import { createTokens } from './auth/sessions/tokens.ts'
import { type Cache, createCache } from './cache/cache.ts'
import { listRecordsAfter } from './cache/entry-store.ts'
import { type Clock, stopwatch as systemStopwatch, systemClock } from './clock.ts'
import { createWorkerPool, type WorkerPool } from './concurrency/worker-pool.ts'
import { type Config, useSetting } from './config.ts'
import { findExposed, prepareDataDir } from './db/data-folder/data-dir.ts'
import { lockDataDir } from './db/data-folder/lock.ts'
import { tryWriting } from './db/open.ts'
import { createReplies } from './embedded/api/replies.ts'
import { embeddedApi } from './embedded/api/embedded-api.ts'
import { createCollection } from './embedded/collection/collection.ts'
import { createPinger, type Pinger } from './embedded/probing/pinger.ts'
import { createStoredSeries } from './embedded/collection/stored-series.ts'
import { createCollected } from './embedded/collected.ts'
import { createHeartbeats } from './embedded/heartbeats/keeper.ts'
import { distinctFamilies } from './embedded/collection/families.ts'
import { createAcceptGate } from './http/connections/accept-gate.ts'
import type { Log } from './log.ts'
import { createMailer } from './mail.ts'
import { createMetrics } from './metrics.ts'
import { createDelivery } from './notifications/delivery/delivery.ts'
import { minute } from './ledger/bucket.ts'
import { listBucketsOf } from './ledger/composite-buckets.ts'
import { createAlertRaiser } from './notifications/alerts/raise-alerts.ts'
import { quotaNames } from './quotas.ts'
import { createTokenWatch } from './realtime/token-watch.ts'
import { createConditions } from './status/watch/conditions.ts'
import { createDamageWatch } from './status/watch/damage-watch.ts'
import { createDiskWatch } from './status/watch/disk-watch.ts'
import { createExposition } from './status/exposition.ts'
import { hasOrganization } from './status/exposition-store.ts'
import { createLiveness, createReadiness, succeeds } from './status/readiness.ts'
import { createListFiring } from './notifications/alerts/firing.ts'
import { createAlertCosts } from './insight/alert-costs.ts'
import { readState } from './evaluation/read-state.ts'
import { createAssertReadable } from './sources/assert-readable.ts'
import { createWarmup } from './evaluation/warmup.ts'
import { createEvaluator } from './evaluation/evaluator.ts'
import { createCauseFinder } from './insight/current-cause.ts'
import { createBackfills } from './ledger/backfill/backfill.ts'
import { createPlanner } from './sli/plan/planner.ts'
import { createExecutionLog } from './sources/execution-log.ts'
import { createReports } from './reports/due-reports.ts'
import { createSourceQueryRuns } from './sources/stored-queries/runs.ts'
import type { StateRow } from './db/tables/tables.ts'
import type { ReadSpace } from './status/watch/health-checks.ts'
import { createSystemFacts } from './app/system-facts.ts'
import type { SettingOriginOf } from './status/system-routes.ts'
import type { BootClock } from './status/watch/clock-watch.ts'
import type { SourceOpener } from './sources/source.ts'

/** Everything that lives as long as the process, built once by `openApp` and closed in reverse. */
export type App = ReturnType<typeof openApp>

/**
 * Replacements for tests: the clock, the outside world and the cost of password hashes. Without a `stopwatch`, a replaced
 * `clock` also measures durations. `settingOriginOf`: where the settings are from, if that is known.
 */
export type Overrides = {
  clock?: Clock
  stopwatch?: Clock
  bootClock?: BootClock
  log?: Log
  opener?: SourceOpener
  cache?: Cache
  readSpace?: ReadSpace
  passwordCost?: PasswordCost
  workers?: WorkerPool
  pinger?: Pinger
  settingOriginOf?: SettingOriginOf
  writeBackup?: WriteBackup
}

/** Locks and opens the data folder and builds the app around it. If that fails, throws and releases the folder. */
export function openApp(config: Config, overrides: Overrides = {}) {
  const { clock = systemClock, bootClock, readSpace } = overrides
  const stopwatch = overrides.stopwatch ?? overrides.clock ?? systemStopwatch
  const log = createDeduplicatingLog(overrides.log ?? createConfiguredLog(config, clock), clock)
  const dataDir = prepareDataDir(config.dataDir)
  const lock = lockDataDir(dataDir)
  try {
    for (const exposed of findExposed(dataDir)) log.warn('other users can get at the data folder', exposed)
    const isSent = readRemoteWriteMatch(config) // throws, as the next line does, for invalid settings: before anything is opened
    assertBackupSettings(config, clock.now())
    const conditions = createConditions({ clock, log })
    const damage = createDamageWatch({ conditions, log })
    const acceptGate = createAcceptGate()
    const holdDescriptors = acceptGate.hold // no connections are accepted while a worker starts, which needs file descriptors
    const integrity = createIntegrity({ dataDir, workerUrl: checkWorkerUrl, holdDescriptors, damage, stopwatch, log })
    const allowance = createMailAllowance({ config, stopwatch })
    const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, allowance, log })
    const { outbound, authorities, listener } = openOutbound(config)
    const publicUrl = publicUrlOf(config, listener)
    const metrics = createMetrics(quotaNames)
    const workers = overrides.workers ?? createWorkerPool({ ...poolSize, url: workerUrl, holdDescriptors })
    const disk = createDiskWatch({
      dataDir,
      stopwatch,
      log,
      conditions,
      assertInPlace: () => files.assertInPlace(),
      tryWriting: () => tryWriting(db.write),
      onWritable() {
        delivery.soon()
        void cache.flush().catch(() => {}) // the cache retries
      },
    })
    const observers = { onDamage: damage.noteDamage, onDiskFailure: disk.noteRefusal }
    const files = openFiles({ config, dataDir, clock, stopwatch, bootClock, log, metrics, ...observers }) // last, so that nothing that fails leaves them open
    const { samples, db, seal, instanceId, jwtSecret: secret, commitMarks } = files
    const open = new AsyncDisposableStack()
    const onClose = (end: () => unknown) => open.defer(async () => void (await end()))
    onClose(lock.release)
    onClose(() => Promise.all(commitMarks.map((mark) => mark.end())))
    onClose(db.close)
    onClose(samples.close)
    onClose(workers.close)
    onClose(mailer.drain)
    const channels = createChannelDeps({ config, db, clock, outbound, mailer, allowance, publicUrl })
    const queries = createQueries({ config, samples, workers, stopwatch, onDamage: damage.noteDamage })
    const metadata = (organizationId: number) =>
      distinctFamilies([...collector.metadata(organizationId), ...requestState.sampleRequests.families(organizationId)])
    const sourceDeps = { config, clock, log, metrics, outbound, workers, engine: queries.engine, metadata }
    const { scheduled, ...sources } = openSources({ ...sourceDeps, testOpener: overrides.opener })
    const apiTokens = createApiTokenCredential({ db, clock, log })
    onClose(apiTokens.drain)
    let closing = false
    const isClosing = () => closing
    const { pinger = createPinger() } = overrides
    const world = { db, clock, log, metrics, seal, outbound, isClosing }
    const sourceQueryRuns = createSourceQueryRuns({
      ...world,
      opener: scheduled,
      concurrency: Math.ceil(config.evaluationConcurrency / 2), // half, so that requests of clients find a free slot
    })
    onClose(sourceQueryRuns.drain)
    const internalTargets = new Map<string, () => Promise<Uint8Array>>([['metrics', () => expose('first')]]) // as the first organization
    const collector = createCollection({
      ...world,
      store: samples,
      pinger,
      internalTargets,
      ownProbes: listener.ownProbes,
      stopwatch,
      onReachability: (...probe) => evaluator.soonAfterProbe(...probe), // not passed directly, because `evaluator` is created below
      onCertificate: (...seen) => certificates.noteProbe(...seen),
    })
    onClose(collector.drain)
    const heartbeats = createHeartbeats({
      ...world,
      store: samples,
      onChange: (organizationId, labels, metrics) => evaluator.soonAfterProbe(organizationId, labels, 0, metrics),
    })
    const checksOf = (organizationId: number) => {
      const probes = collector.probesOf(organizationId) // null until they have been read
      return probes && [...probes, ...heartbeats.statusesOf(organizationId)]
    }
    const collected = createCollected({ db, heartbeats })
    const planner = createPlanner({ db, clock })
    const outbox = createDelivery({ ...world, stopwatch, channels, config, instanceId })
    onClose(outbox.drain)
    const { clockWatch, clockRecord, retentionClock } = watchClock({ ...world, dataDir, stopwatch, bootClock })
    const liveness = createLiveness(stopwatch)
    const delivery = { ...outbox, run: () => liveness.watch(outbox.run) }
    const sender = createRemoteWrite({ ...world, config, samples, stopwatch, isSent })
    onClose(sender.drain)
    const proxyPerson = createProxyPersonReader({ config, clock, log })
    const watchDeps = {
      sender,
      proxyPerson,
      conditions,
      disk,
      clockWatch,
      clockRecord,
      collector,
      readSpace,
      commitMarks,
    }
    const sendDeps = { channels, instanceId, publicUrl, onQueued: delivery.soon }
    const readiness = createReadiness({ ...world, conditions, disk })
    const selfMonitoring = createSelfMonitoring({
      ...world,
      config,
      dataDir,
      stopwatch,
      ...watchDeps,
      ...sendDeps,
      readiness,
    })
    onClose(selfMonitoring.drain)
    const scheduledBackups = createScheduledBackups({
      ...watchDeps,
      config,
      dataDir,
      clock,
      stopwatch,
      log,
      hasOrganizations: () => hasOrganization(db.read),
      bucket: openBucket(config, { outbound, clock }),
      writeBackup: overrides.writeBackup,
    })
    onClose(scheduledBackups.close)
    const certificates = createCertificates({ ...world, ...sendDeps, config })
    onClose(certificates.drain)
    const { hub, feed } = createLive({ ...world, config })
    onClose(feed.drain)
    const credentials = [apiTokens, oauthCredential({ db, clock })]
    const tokens = createTokens({ db, clock, log, config, credentials, secret, audience: `nines-${instanceId}` })
    onClose(tokens.drain)
    const tokenWatch = createTokenWatch({ tokens, clock, log, isClosing })
    onClose(tokenWatch.drain)
    const alertRaiser = createAlertRaiser({
      clock,
      stopwatch,
      publicUrl,
      config,
      listMinutes: (db, range) => listBucketsOf(db, { ...range, resolution: minute }),
    })
    const evaluator = createEvaluator({
      ...world,
      stopwatch,
      opener: scheduled,
      planner,
      config,
      probesOf: checksOf,
      alerts: alertRaiser,
      findCauses: createCauseFinder({ log }),
      onStored: (evaluations, seconds) => {
        metrics.evaluated(evaluations, seconds)
        if (evaluations.length > 0) selfMonitoring.noteStored()
        feed.evaluated(evaluations)
        delivery.soon()
      },
      onAnswer: selfMonitoring.noteSourceAnswer,
    })
    const backfills = createBackfills({ ...world, stopwatch, opener: scheduled, planner, config })
    onClose(backfills.drain)
    const reports = createReports({ ...world, config, planner, publicUrl, onQueued: delivery.soon })
    onClose(reports.drain)
    const cache =
      overrides.cache ??
      createCache({ ...world, assertWritable: disk.assertWritable, maxBytesOfOrganization: config.quotas.cache_bytes })
    onClose(cache.drain)
    const executions = createExecutionLog({ db, log })
    onClose(executions.drain)
    const warmup = createWarmup({ ...world, opener: scheduled, planner, executions, cache })
    const refusals = createRefusals({ db, clock, log })
    onClose(refusals.drain)
    onClose(integrity.close)
    const demo = createDemoAccess(clock)
    const quotaUse = createQuotaUse({ config, clock, db, samples, cache })
    const stateOf = (state: StateRow | null, nowMs: number) => readState(state, nowMs, config.evaluationIntervalSeconds)
    const expose = createExposition({
      ...world,
      clockWatch,
      conditions,
      readiness,
      dataDir: config.dataDir,
      quotaUse,
      stateOf,
    })
    const requestState = createRequestState({
      ...world,
      ...sources,
      config,
      stopwatch,
      tokens,
      samples,
      planner,
      workers,
      cache,
      demo,
      publicUrl,
    })
    return {
      config,
      clock,
      startedAtMs: clock.now(),
      ...createSystemFacts({ config, dataDir, settingOriginOf: overrides.settingOriginOf }),
      stopwatch,
      clockWatch,
      conditions,
      damage,
      integrity,
      acceptGate,
      disk,
      selfMonitoring,
      authorities,
      certificates,
      scheduledBackups,
      retentionClock,
      log,
      metrics,
      db,
      /** Keeps what a start needs to notice lost commits. Call every second. */
      async markCommits() {
        for (const mark of commitMarks) await mark.keep()
      },
      seal,
      passwords: useSetting(() => createPasswords(config, overrides.passwordCost)),
      tokens,
      throttle: createThrottle({ db, clock }),
      instanceId,
      setupToken: createSetupToken(dataDir),
      demo,
      oidc: openOidc({ ...world, config, publicUrl }),
      proxyPerson,
      refusals,
      mailer,
      publicUrl,
      channels,
      delivery,
      health: {
        cache: () => succeeds(() => Promise.all([cache.config(), listRecordsAfter(db.read, 0, 1)])),
        notifications: liveness.isAlive,
        websocket: () => !isClosing(),
        clock: () => clockWatch.jumpedSeconds() === 0,
      },
      hub,
      feed,
      tokenWatch,
      samples,
      sender,
      writeSloSamples: config.remoteWriteUrl === null ? null : createSloSamples({ ...world, stateOf, samples }),
      ...queries,
      collector,
      pinger,
      heartbeats,
      checksOf,
      collected,
      storedSeries: createStoredSeries(samples),
      internalTargets,
      listener,
      workers,
      ...sources,
      planner,
      executions,
      evaluator,
      alertRaiser,
      backfills,
      reports,
      sourceQueryRuns,
      cache,
      warmup,
      provisionOrganization: createOrganizationProvisioner({ config, collector }),
      quotaUse,
      expose,
      readiness,
      ...requestState,
      embeddedApi: {
        api: embeddedApi({ ...queries, metadata, clock, sourceTimeoutMs: sources.sourceTimeoutMs }),
        reply: createReplies(sources.sourceTimeoutMs),
      },
      countsEvents: definitionCountsEvents,
      assertReadable: createAssertReadable({ db, clock, seal, opener: sources.opener }),
      listFiring: createListFiring({ db, clock }),
      alertCosts: createAlertCosts({ db, clock }),
      onClose,
      startClosing: () => void (closing = true),
      isClosing,
      close() {
        closing = true
        return open.disposeAsync()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
const poolSize = { workers: 2, workersOfGroup: 1, urgentWorkers: 2 }
const workerUrl = new URL('./worker.ts', import.meta.url).href
const checkWorkerUrl = new URL('./check-worker.ts', import.meta.url).href
