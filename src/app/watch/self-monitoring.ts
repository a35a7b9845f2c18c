import { type Clock, minuteMs } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { readLastBackup } from '../../db/backup/last-backup.ts'
import type { CommitMark } from '../../db/data-folder/commit-mark.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { Collector } from '../../embedded/collection/collector.ts'
import type { Sender } from '../../embedded/outgoing/sender.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { Log } from '../../log.ts'
import type { ChannelDeps } from '../../notifications/channels/channel.ts'
import { conditionAlertName } from '../../notifications/alerts/alert-name.ts'
import {
  type ConditionState,
  findAcknowledgedMs,
  findFirstOrganization,
} from '../../notifications/conditions/condition-store.ts'
import { createDirectDelivery } from '../../notifications/conditions/direct-delivery.ts'
import { createConditionNotifier } from '../../notifications/conditions/notify-conditions.ts'
import type { ProxyPersonReader } from '../../auth/external/trusted-header.ts'
import type { ClockRecord, ClockWatch } from '../../status/watch/clock-watch.ts'
import type { DiskWatch } from '../../status/watch/disk-watch.ts'
import { conditionNames, type Conditions, severityOf } from '../../status/watch/conditions.ts'
import { createHeartbeat } from '../../status/watch/heartbeat.ts'
import { succeeds } from '../../status/readiness.ts'
import { hasSloToEvaluate, hasOrganization, listSourcesOfFirstOrganization } from '../../status/exposition-store.ts'
import { createActiveTimeClock, createWatchdog } from '../../status/watch/watchdog.ts'
import {
  type ReadSpace,
  watchBackups,
  watchClock,
  watchCommits,
  watchDisk,
  watchEvaluations,
  watchRefusedSamples,
  watchRemoteWrite,
  watchScrapes,
  watchTrustedHeader,
} from '../../status/watch/health-checks.ts'
import { watchOutbox } from '../../status/watch/outbox.ts'
import { watchSources } from '../../status/watch/sources.ts'

/** Monitoring of nines itself: health checks, their notifications, and the heartbeat. */
type SelfMonitoring = {
  /** Checks all conditions and notifies about them. Call every five seconds. */
  watch(): Promise<void>
  /** Sends the heartbeat. Call once a minute. */
  beat(): Promise<void>
  /** Call it when evaluations have been stored. */
  noteStored(): void
  /** Call it when a source has answered the queries of an evaluation, or failed to. */
  noteSourceAnswer(sourceId: number, answered: boolean): void
  drain(): Promise<void>
}

type Deps = {
  config: Config
  dataDir: string
  db: Database
  clock: Clock
  stopwatch: Clock
  log: Log
  seal: Seal
  outbound: Outbound
  channels: ChannelDeps
  instanceId: string
  publicUrl: () => string
  conditions: Conditions
  disk: DiskWatch
  clockWatch: ClockWatch
  clockRecord: ClockRecord
  collector: Pick<Collector, 'failing'>
  sender: Sender
  proxyPerson: Pick<ProxyPersonReader, 'ignoredAtMs'>
  commitMarks: CommitMark[]
  isClosing: () => boolean
  onQueued: () => void
  /** Throws `unavailable` while nines cannot serve. */
  readiness: () => Promise<void>
  readSpace?: ReadSpace | undefined
}

/** A condition that no check has reported after this time counts as not holding. */
const maxUnknownMs = 15 * minuteMs
const recordEveryMs = minuteMs

export function createSelfMonitoring(deps: Deps): SelfMonitoring {
  const { config, dataDir, db, stopwatch, conditions } = deps
  const activeClock = createActiveTimeClock(stopwatch)
  const intervalMs = config.evaluationIntervalSeconds * 1000
  const hasSlosToEvaluate = () => hasSloToEvaluate(db.read)
  const evaluations = watchEvaluations({ clock: activeClock, intervalMs, hasSlosToEvaluate })
  // With open registration, only the first organization is watched: failures of strangers say nothing about nines.
  const isOpen = config.registration === 'open'
  const watched = async () => (isOpen ? ((await findFirstOrganization(db.read))?.id ?? 0) : 'all') // 0: there is none yet
  const watchedSources = async () => (isOpen ? listSourcesOfFirstOrganization(db.read) : 'all')
  const sources = watchSources({ clock: activeClock, intervalMs, watched: watchedSources })
  const watchdog = createWatchdog({
    ...deps,
    onCheck: activeClock.tick,
    healthChecks: {
      evaluation_stalled: evaluations.check,
      outbox_delayed: watchOutbox({ ...deps, runningMs: activeClock.unbrokenMs, watched }),
      source_silent: sources.check,
      scrapes_failing: watchScrapes(deps.collector, watched),
      remote_write_delayed: watchRemoteWrite(activeClock, deps.sender),
      remote_write_refused: watchRefusedSamples(deps.sender),
      trusted_header_ignored: watchTrustedHeader(deps.clock, deps.proxyPerson.ignoredAtMs),
      disk_nearly_full: watchDisk(dataDir, deps.readSpace),
      backup_overdue: watchBackups({
        clock: deps.clock,
        maxAgeHours: config.backupMaxAgeHours,
        lastBackup: () => readLastBackup(dataDir),
        hasOrganizations: () => hasOrganization(db.read),
      }),
      clock_jumped: watchClock(deps.clockWatch),
      commits_missing: watchCommits(deps.commitMarks, () =>
        findAcknowledgedMs(db.read, conditionAlertName('commits_missing')),
      ),
    },
  })
  const startedMs = activeClock.now()
  let recordDueMs = startedMs
  const reportedStates = (): ConditionState[] => {
    const holding = new Map(conditions.list().map((one) => [one.name, one]))
    const isLate = activeClock.now() - startedMs >= maxUnknownMs
    return conditionNames
      .filter((name) => isLate || conditions.isKnown(name))
      .map((name) => ({ name, severity: severityOf(name), holds: holding.get(name) ?? null }))
  }
  const detailOf = (condition: string, organizationId: number) =>
    condition === 'scrapes_failing' ? namesClause(deps.collector.failing(organizationId).names) : ''
  const directDelivery = createDirectDelivery(deps)
  const notifier = createConditionNotifier({ ...deps, reported: reportedStates, detailOf, direct: directDelivery })
  const canEvaluate = async () => (await evaluations.check()) === null && (await succeeds(deps.readiness))
  const heartbeat = createHeartbeat({ ...deps, url: config.heartbeatUrl, canEvaluate })
  return {
    async watch() {
      if (deps.isClosing()) return
      await watchdog.check()
      if (activeClock.now() >= recordDueMs) {
        recordDueMs = activeClock.now() + recordEveryMs
        deps.clockRecord.write()
      }
      if (!deps.isClosing()) await notifier.run()
    },
    beat: heartbeat.beat,
    noteStored: evaluations.noteStored,
    noteSourceAnswer: sources.noteAnswer,
    drain: directDelivery.drain,
  }
}

/** Clause that names failing targets: `: node, and 3 more`. */
function namesClause([first, ...others]: string[]): string {
  if (first === undefined) return ''
  return `: ${first}${others.length === 0 ? '' : `, and ${others.length} more`}`
}
