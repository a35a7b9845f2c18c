import { equipOrganizations } from './app/equip-organization.ts'
import { logTo } from './app/log-to.ts'
import { openFiles } from './app/open-files.ts'
import { createApiTokenCredential } from './auth/api-token-credential.ts'
import { oauthCredential } from './auth/oauth/credential.ts'
import { createPasswords, type Passwords } from './auth/passwords.ts'
import type { EquipOrganization } from './auth/register.ts'
import { createRefusals, type Refusals } from './auth/refusals.ts'
import { createThrottle, type Throttle } from './auth/throttle.ts'
import { createTokens, type Tokens } from './auth/tokens.ts'
import { type Cache, createCache } from './cache/cache.ts'
import { listRecordsAfter } from './cache/entry-store.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { findExposed, keepSecret, prepareDataDir } from './db/data-dir.ts'
import { lockDataDir } from './db/lock.ts'
import type { Database } from './db/open.ts'
import type { Seal } from './db/seal.ts'
import { type Collection, createCollection } from './embedded/collection/collection.ts'
import { createEngine, type Engine } from './embedded/engine.ts'
import type { SampleStore } from './embedded/store/sample-store.ts'
import { createOutbound } from './http/outbound.ts'
import type { Log } from './log.ts'
import { createMailer, type Mailer } from './mail.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { ChannelDeps } from './notifications/channels/channel.ts'
import { createDelivery, type Delivery } from './notifications/delivery/delivery.ts'
import { raiseAlerts } from './notifications/alerts/raise.ts'
import { lastNotificationId, listNotificationsAfter } from './notifications/told-store.ts'
import { createFeed, type Feed } from './realtime/feed.ts'
import { createHub, type Hub } from './realtime/hub.ts'
import { createSignIns, type SignIns } from './realtime/sign-ins.ts'
import type { Health } from './status/health-routes.ts'
import { createPulse } from './status/pulse.ts'
import { succeeds } from './status/readiness.ts'
import { createWarmup, type Warmup } from './tsdb/cached-warmup.ts'
import { createEvaluator, type Evaluator } from './tsdb/evaluation/evaluator.ts'
import { listLiveSlos } from './tsdb/evaluation/live-slos.ts'
import { type Backfills, createBackfills } from './tsdb/ledger/backfill.ts'
import { withEmbedded } from './tsdb/embedded-source.ts'
import { createMeters, type Meters } from './tsdb/meters.ts'
import { createPrometheus } from './tsdb/prometheus/client.ts'
import type { SourceOpener } from './tsdb/source.ts'
import { createSourceQueryRuns, type SourceQueryRuns } from './tsdb/source-query-runs.ts'

/** Everything that lives as long as the process, built once by `openApp` and closed in reverse. */
export type App = {
  config: Config
  clock: Clock
  log: Log
  metrics: Metrics
  db: Database
  seal: Seal
  passwords: Passwords
  tokens: Tokens
  throttle: Throttle
  /** Permission refusals on their way into the audit log. */
  refusals: Refusals
  mailer: Mailer
  /** In front of the links in mails and notifications. */
  publicUrl: string
  /** What channels send with. */
  channels: ChannelDeps
  delivery: Delivery
  health: Health
  /** The connected clients, what they are told of, and until when they may listen. */
  hub: Hub
  feed: Feed
  signIns: SignIns
  /** The embedded source: what it keeps, what answers from it, what is collected into it, and what of it is in here. */
  samples: SampleStore
  engine: Engine
  collector: Collection
  inside: Map<string, () => Promise<Uint8Array>>
  opener: SourceOpener
  sourceTimeoutMs: number
  meters: Meters
  evaluator: Evaluator
  backfills: Backfills
  sourceQueryRuns: SourceQueryRuns
  cache: Cache
  warmup: Warmup
  equipOrganization: EquipOrganization
  /** From here on `/ready` says no. */
  startClosing(): void
  isClosing(): boolean
  close(): Promise<void>
}

/** What tests replace: the clock and the outside world. */
export type Overrides = { clock?: Clock; log?: Log; opener?: SourceOpener; cache?: Cache }

/** Locks and opens the data folder and builds the rest around it; throws, with nothing left open, where that fails. */
export function openApp(config: Config, overrides: Overrides = {}): App {
  const clock = overrides.clock ?? systemClock
  const log = overrides.log ?? logTo(config, clock)
  const dataDir = prepareDataDir(config.dataDir)
  const lock = lockDataDir(dataDir)
  try {
    const secret = config.jwtSecret ?? keepSecret(dataDir, 'jwt.secret')
    for (const exposed of findExposed(dataDir)) log.warn('other users can get at the data folder', exposed)
    const sourceTimeoutMs = config.sourceTimeoutSeconds * 1000
    const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, log })
    const outbound = createOutbound({ deny: config.outboundDeny })
    const publicUrl = config.publicUrl ?? addressOf(config)
    const smtp = { url: config.smtpUrl, from: config.mailFrom }
    const channels = { outbound, clock, smtp, publicUrl }
    const concurrency = config.evaluationConcurrency
    const metrics = createMetrics()
    const elsewhere = createPrometheus({ outbound, timeoutMs: sourceTimeoutMs, concurrency, log, metrics })
    const stopwatch = overrides.clock // none of its own: what tests move is the time that passes
    const { samples, db, seal, instanceId } = openFiles({ config, dataDir, clock, stopwatch, log }) // last: nothing below can fail and leave them open
    const engine = createEngine({ store: samples, timeoutMs: sourceTimeoutMs })
    const opener = overrides.opener ?? withEmbedded({ engine, elsewhere, timeoutMs: sourceTimeoutMs, metrics })
    const apiTokens = createApiTokenCredential({ db, clock, log })
    let closing = false
    const isClosing = () => closing
    const sourceQueryRuns = createSourceQueryRuns({
      db,
      clock,
      seal,
      opener,
      log,
      concurrency: Math.ceil(concurrency / 2), // whoever waits for an answer finds a slot besides
      isClosing,
    })
    const inside = new Map<string, () => Promise<Uint8Array>>()
    const collector = createCollection({ db, clock, log, metrics, seal, store: samples, outbound, inside, isClosing })
    const meters = createMeters({ db, clock })
    const outbox = createDelivery({ db, clock, log, metrics, seal, channels, config, instanceId, isClosing })
    const pulse = createPulse(clock)
    const delivery = { ...outbox, run: () => pulse.watch(outbox.run) }
    const listSlos = (ids: number[]) => listLiveSlos({ db, clock, config }, ids)
    const hub = createHub({
      clock,
      log,
      findSlo: async (organizationId, id) =>
        (await listSlos([id])).find((slo) => slo.organizationId === organizationId),
    })
    const feed = createFeed({
      hub,
      log,
      isClosing,
      listSlos,
      lastNotificationId: () => lastNotificationId(db.read),
      listNotifications: (afterId, most) => listNotificationsAfter(db.read, afterId, most),
    })
    const tokens = createTokens({
      db,
      clock,
      secret,
      expirationSeconds: config.jwtExpirationSeconds,
      credentials: [apiTokens, oauthCredential({ db, clock })],
    })
    const signIns = createSignIns({ tokens, clock, log, isClosing })
    const evaluator = createEvaluator({
      db,
      clock,
      log,
      seal,
      opener,
      meters,
      config,
      isClosing,
      onEvaluations: (trx, evaluations) => raiseAlerts({ clock, publicUrl, config }, trx, evaluations),
      onStored: (evaluations, seconds) => {
        metrics.evaluated(evaluations, seconds)
        feed.evaluated(evaluations)
        delivery.soon()
      },
    })
    const backfills = createBackfills({ db, clock, log, seal, opener, meters, config, isClosing })
    const refusals = createRefusals({ db, clock, log })
    const cache = overrides.cache ?? createCache({ db, clock, log, metrics })
    const warmup = createWarmup({ db, clock, log, seal, opener, meters, cache, isClosing })
    return {
      config,
      clock,
      log,
      metrics,
      db,
      seal,
      passwords: createPasswords(),
      tokens,
      throttle: createThrottle({ db, clock }),
      refusals,
      mailer,
      publicUrl,
      channels,
      delivery,
      health: {
        cache: () => succeeds(() => Promise.all([cache.config(), listRecordsAfter(db.read, 0, 1)])),
        notifications: pulse.beats,
        websocket: () => !isClosing(),
      },
      hub,
      feed,
      signIns,
      samples,
      engine,
      collector,
      inside,
      opener,
      sourceTimeoutMs,
      meters,
      evaluator,
      backfills,
      sourceQueryRuns,
      cache,
      warmup,
      equipOrganization: equipOrganizations({ config, collector }),
      startClosing: () => {
        closing = true
      },
      isClosing,
      async close() {
        closing = true
        await collector.settled()
        await backfills.settled()
        await sourceQueryRuns.settled()
        await delivery.settled()
        await feed.settled()
        await signIns.settled()
        await cache.settled()
        await mailer.settled()
        await apiTokens.settled()
        await refusals.settled()
        try {
          samples.close()
        } finally {
          await db.close()
          lock.release()
        }
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function addressOf({ host, port }: Config): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
