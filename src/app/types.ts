import type { Appliance } from './watch/create-appliance.ts'
import type { Refusals } from '../auth/audit/refusals.ts'
import type { Integrity } from './watch/integrity.ts'
import type { Listener } from './open-outbound.ts'
import type { PasswordCost, Passwords } from '../auth/passwords/passwords.ts'
import type { ProvisionOrganization } from '../auth/accounts/register.ts'
import type { SetupToken } from '../auth/accounts/setup-token.ts'
import type { Throttle } from '../auth/sessions/throttle.ts'
import type { Tokens } from '../auth/sessions/tokens.ts'
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
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
import type { BootClock } from '../status/watch/clock-record.ts'
import type { ClockWatch } from '../status/watch/clock-watch.ts'
import type { Conditions } from '../status/watch/conditions.ts'
import type { DamageWatch } from '../status/watch/damage-watch.ts'
import type { DiskWatch } from '../status/watch/disk-watch.ts'
import type { Health } from '../status/health-routes.ts'
import type { ReadSpace } from '../status/watch/looks/disk.ts'
import type { Warmup } from '../evaluation/warmup.ts'
import type { Evaluator } from '../evaluation/evaluator.ts'
import type { Backfills } from '../ledger/backfill/backfill.ts'
import type { Planner } from '../sli/plan/planner.ts'
import type { SourceOpener } from '../sources/source.ts'
import type { SourceQueryRuns } from '../sources/stored-queries/runs.ts'

/** Everything that lives as long as the process, built once by `openApp` and closed in reverse. */
export type App = {
  config: Config
  clock: Clock
  /** Counts milliseconds, whatever becomes of the clock. */
  stopwatch: Clock
  clockWatch: ClockWatch
  /** What is wrong with the appliance itself. */
  conditions: Conditions
  /** What is damaged of the databases, and what looks for that. */
  damage: DamageWatch
  integrity: Integrity
  /** Whether the disk takes what is written. */
  disk: DiskWatch
  appliance: Appliance
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
  planner: Planner
  evaluator: Evaluator
  backfills: Backfills
  sourceQueryRuns: SourceQueryRuns
  cache: Cache
  warmup: Warmup
  provisionOrganization: ProvisionOrganization
  quotaUse: QuotaUse
  /** From here on `/ready` says no. */
  startClosing(): void
  isClosing(): boolean
  close(): Promise<void>
}

/**
 * What tests replace: the clock, the outside world, and what a password's hash costs. A `clock` without a `stopwatch` is
 * both: the time that it says has passed.
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
}
