import { Cron } from 'croner'
import type { Refusals } from '../auth/audit/refusals.ts'
import type { Tokens } from '../auth/sessions/tokens.ts'
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Collector } from '../embedded/collection/collector.ts'
import type { Heartbeats } from '../embedded/heartbeats/keeper.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import type { Delivery } from '../notifications/delivery/delivery.ts'
import type { NotifyDeps } from '../notifications/alerts/notify-alerts.ts'
import { endOrphanedAlerts } from '../notifications/alerts/raise-alerts.ts'
import type { ClockWatch } from '../status/watch/clock-watch.ts'
import type { DiskWatch } from '../status/watch/disk-watch.ts'
import type { TokenWatch } from '../realtime/token-watch.ts'
import type { Evaluator } from '../evaluation/evaluator.ts'
import type { Backfills } from '../ledger/backfill/backfill.ts'
import type { SourceQueryRuns } from '../sources/stored-queries/runs.ts'
import { rollUpEvaluations } from '../evaluation/roll-up-store.ts'
import { sumUpRetiredBuckets } from '../ledger/retired-store.ts'
import { clearTokenCacheIfChanged, type PruneDeps, pruneOldRows, pruneToQuota } from './prune.ts'

type TimetableDeps = PruneDeps &
  NotifyDeps & {
    log: Log
    config: Pick<Config, 'evaluationIntervalSeconds' | 'quotas'>
    delivery: Delivery
    evaluator: Evaluator
    backfills: Backfills
    sourceQueryRuns: SourceQueryRuns
    samples: Pick<SampleStore, 'whenFilled' | 'flushCooperatively' | 'pruneOld'>
    /** Notes commits in files beside the databases; see `CommitMark`. */
    markCommits: () => Promise<void>
    sampleRequests: { remeasureLate(): Promise<void> }
    sender: { run(): Promise<void> }
    writeSloSamples: (() => Promise<void>) | null
    collector: Pick<Collector, 'tick'>
    heartbeats: Pick<Heartbeats, 'tick'>
    clockWatch: ClockWatch
    disk: Pick<DiskWatch, 'check' | 'assertWritable'>
    selfMonitoring: { watch(): Promise<void>; beat(): Promise<void> }
    authorities: { refresh(): void }
    certificates: { run(): Promise<void> }
    scheduledBackups: { runWhenDue(): Promise<void> }
    reports: { run(): Promise<void> }
    /** Pending until the newest stored time is read; see `watchClock`. */
    retentionClock: Promise<Clock>
    cache: Cache
    integrity: { check(): Promise<void> }
    tokenWatch: TokenWatch
    tokens: Tokens
    refusals: Pick<Refusals, 'flush'>
  }

/** Starts the scheduled jobs. A job overlaps itself only if `protect` is false. A failed job runs again at its next time. */
export function startTimetable(app: TimetableDeps): { stop(): void } {
  const at = (name: string, pattern: string, job: () => Promise<void>, { protect = true } = {}) =>
    new Cron(
      pattern,
      {
        name: `${name}-${Bun.randomUUIDv7()}`,
        utcOffset: 0, // a zone name is looked up in ICU: 5 MB, and 50 µs each time
        protect,
        catch: (error) => app.log.error('job failed', { job: name, error }),
      },
      job,
    )
  /** Runs a job only while the disk is writable: its results could not be stored. */
  const whileWritable = (job: () => Promise<void>) => async () => {
    app.disk.assertWritable()
    await job()
  }
  const jobs = [
    at('roll-up-evaluations', '0 7 * * * *', () => rollUpEvaluations(app)),
    at('sum-up-retired-buckets', '0 12 * * * *', () => sumUpRetiredBuckets(app)),
    at('prune-old-rows', '0 17 * * * *', async () => pruneOldRows({ ...app, clock: await app.retentionClock })),
    at('prune-to-quota', '0 27 * * * *', () => pruneToQuota(app)),
    at('deliver-notifications', '* * * * * *', () => app.delivery.run(), { protect: false }), // a slow channel must not delay the others
    at('end-orphaned-alerts', '*/10 * * * * *', () => endOrphanedAlerts(app)),
    at('record-refusals', '0 * * * * *', () => app.refusals.flush()),
    at('clear-token-cache-if-changed', '* * * * * *', async () => clearTokenCacheIfChanged(app)),
    at('end-live-sign-ins', '*/5 * * * * *', () => app.tokenWatch.sweep()),
    at('watch-disk', '* * * * * *', () => app.disk.check()),
    at('watch-clock', '* * * * * *', () => app.clockWatch.check()),
    at('watch-conditions', '*/5 * * * * *', () => app.selfMonitoring.watch()),
    at(
      'watch-certificates',
      '40 * * * * *',
      whileWritable(() => app.certificates.run()),
    ),
    at('refresh-authorities', '*/10 * * * * *', async () => app.authorities.refresh()),
    at('send-heartbeat', '30 * * * * *', () => app.selfMonitoring.beat()),
    at('collect', '* * * * * *', () => app.samples.whenFilled().then(() => app.collector.tick())),
    at('watch-heartbeats', '* * * * * *', () => app.samples.whenFilled().then(() => app.heartbeats.tick()), {
      protect: false, // each call notes that nines is running
    }),
    at(
      'write-samples',
      '* * * * * *',
      everyOtherSecond(app.clock, async () => void (await app.samples.flushCooperatively())),
    ),
    at('remeasure-late-samples', '20 * * * * *', () => app.sampleRequests.remeasureLate()),
    at('send-samples', '* * * * * *', () => app.sender.run()),
    at('mark-commits', '* * * * * *', () => app.markCommits()),
    at('prune-old-samples', '30 */5 * * * *', () => app.samples.pruneOld()),
    at(
      'make-reports',
      '50 * * * * *',
      whileWritable(() => app.reports.run()),
    ),
    at('write-backups', '*/10 * * * * *', () => app.scheduledBackups.runWhenDue()),
    at('check-databases', '0 47 3 * * *', () => app.integrity.check()),
    at('clean-cache', '* * * * * *', () => app.cache.cleanUpWhenDue()),
  ]
  if (app.writeSloSamples) jobs.push(at('write-slo-samples', '55 * * * * *', app.writeSloSamples))
  if (app.config.evaluationIntervalSeconds > 0) {
    jobs.push(at('evaluate-slos', '* * * * * *', async () => app.evaluator.tick()))
    // Unprotected: they prevent harmful overlaps themselves, and one source must not delay the others.
    jobs.push(at('run-backfills', '*/5 * * * * *', whileWritable(app.backfills.run), { protect: false }))
    jobs.push(at('run-source-queries', '*/5 * * * * *', whileWritable(app.sourceQueryRuns.runDue), { protect: false }))
  }
  return { stop: () => jobs.forEach((job) => job.stop()) }
}

/**
 * Job of every other second, to be called every second except while it runs. After a run that took longer, the next starts
 * within a second.
 */
function everyOtherSecond(clock: Clock, job: () => Promise<void>): () => Promise<void> {
  let lastSecond = -Infinity
  return async () => {
    const second = Math.floor(clock.now() / 1000)
    if (Math.abs(second - lastSecond) < 2) return
    lastSecond = second
    await job()
  }
}
