import type { Refusals } from '../auth/refusals.ts'
import type { Listener } from './open-outbound.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { EquipOrganization } from '../auth/register.ts'
import type { SetupToken } from '../auth/setup-token.ts'
import type { Throttle } from '../auth/throttle.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/seal.ts'
import type { Collection } from '../embedded/collection/collection.ts'
import type { Engine } from '../embedded/engine.ts'
import type { Lister } from '../embedded/lister.ts'
import type { WorkerPool } from '../concurrency/worker-pool.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import type { Log } from '../log.ts'
import type { Mailer } from '../mail.ts'
import type { Metrics } from '../metrics.ts'
import type { QuotaUse } from '../quotas.ts'
import type { ChannelDeps } from '../notifications/channels/channel.ts'
import type { Delivery } from '../notifications/delivery/delivery.ts'
import type { Feed } from '../realtime/feed.ts'
import type { Hub } from '../realtime/hub.ts'
import type { SignIns } from '../realtime/sign-ins.ts'
import type { ClockWatch } from '../status/clock-watch.ts'
import type { Conditions } from '../status/conditions.ts'
import type { Health } from '../status/health-routes.ts'
import type { Warmup } from '../tsdb/cached-warmup.ts'
import type { Evaluator } from '../tsdb/evaluation/evaluator.ts'
import type { Backfills } from '../tsdb/ledger/backfill.ts'
import type { Meters } from '../tsdb/meters.ts'
import type { SourceOpener } from '../tsdb/source.ts'
import type { SourceQueryRuns } from '../tsdb/source-query-runs.ts'

/** Everything that lives as long as the process, built once by `openApp` and closed in reverse. */
export type App = {
  config: Config
  clock: Clock
  /** Counts milliseconds, whatever becomes of the clock. */
  stopwatch: Clock
  clockWatch: ClockWatch
  /** What is wrong with the appliance itself. */
  conditions: Conditions
  /** By what time rows are too old to be kept. */
  retentionClock: Promise<Clock>
  log: Log
  metrics: Metrics
  db: Database
  /** Names a file of the data folder that has been removed or replaced while it is open. */
  displaced: () => string | undefined
  seal: Seal
  passwords: Passwords
  tokens: Tokens
  throttle: Throttle
  setupToken: SetupToken
  /** Permission refusals on their way into the audit log. */
  refusals: Refusals
  mailer: Mailer
  /** In front of the links in mails and notifications, as of now. */
  publicUrl: () => string
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
  lister: Lister
  collector: Collection
  inside: Map<string, () => Promise<Uint8Array>>
  listener: Listener
  /** What would hold up the event loop is done there. */
  workers: WorkerPool
  opener: SourceOpener
  sourceTimeoutMs: number
  meters: Meters
  evaluator: Evaluator
  backfills: Backfills
  sourceQueryRuns: SourceQueryRuns
  cache: Cache
  warmup: Warmup
  equipOrganization: EquipOrganization
  quotaUse: QuotaUse
  /** From here on `/ready` says no. */
  startClosing(): void
  isClosing(): boolean
  close(): Promise<void>
}

/** What tests replace: the clock and the outside world. */
/** A `clock` without a `stopwatch` is one too: what is told to it is the time that passes. */
export type Overrides = { clock?: Clock; stopwatch?: Clock; log?: Log; opener?: SourceOpener; cache?: Cache }
