import { join } from 'node:path'
import { version } from '../../package.json' with { type: 'json' }
import { type Clock, dayMs, isoTime, isoTimeOrNull, stopwatch as systemStopwatch } from '../clock.ts'
import type { Config } from '../config.ts'
import { type DiskFailure, diskFailureOf } from '../db/failures/disk-failure.ts'
import { createLockRetry, type LockRetry, lockTimeoutMs } from '../db/failures/lock-retry.ts'
import { describeOpening, isDamage, type OnDamage, unreadable } from '../db/failures/damage.ts'
import { type CommitMark, isLogCut, type LostCommits, openCommitMark } from '../db/data-folder/commit-mark.ts'
import { assertNotLost } from '../db/data-folder/lost-database.ts'
import { type DatabaseFiles, watchFiles } from '../db/data-folder/database-files.ts'
import { claimSamples, openSamples, type Owner } from '../db/open-samples.ts'
import { type Database, openDatabase } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { openJwtSecret, openSeal } from '../db/sealing/keys.ts'
import type { Connection, Statements } from '../db/sqlite.ts'
import { createRetentionClock } from './clocks.ts'
import { defaultLabelLimits } from '../embedded/store/labels.ts'
import { createSampleStore, type SampleStore } from '../embedded/store/sample-store.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { QuotaName } from '../quotas.ts'
import { recordStart } from '../status/whats-new/upgrade-store.ts'
import { type BootClock, systemBootClock } from '../status/watch/clock-watch.ts'

type Options = {
  config: Config
  dataDir: string
  clock: Clock
  stopwatch?: Clock | undefined
  bootClock?: BootClock | undefined
  log?: Log
  metrics?: Pick<Metrics, 'quotaRefused'>
  /** Called each time that damage is met in an open database. */
  onDamage?: OnDamage
  /** Called for each write that the disk refused. */
  onDiskFailure?: (failure: DiskFailure) => void
}

type Files = {
  samples: SampleStore
  db: Database
  seal: Seal
  instanceId: string
  jwtSecret: string
  /** Commit marks of both databases. */
  commitMarks: CommitMark[]
  /** Throws `DiskFailure` if files of a database were moved, removed or replaced since they were opened. */
  assertInPlace(): void
}

/** Opens the files of a data folder that the caller has locked. On failure, closes what is open; the error names the file. */
export function openFiles(options: Options): Files {
  const { dataDir, config, clock, stopwatch = systemStopwatch, metrics, log, onDamage } = options
  const { onDiskFailure = () => {} } = options
  const onRefused = (name: QuotaName) => metrics?.quotaRefused(name)
  const bootId = bootIdOf(options.bootClock ?? systemBootClock)
  const hasLostCommits = (name: string) => isLogCut(join(dataDir, name), bootId) // its write-ahead log lacks some
  const markOptions = { clock, stopwatch, bootId }
  const isCut = { db: hasLostCommits('nines.db'), samples: hasLostCommits('samples.db') } // must be read before they are opened
  assertNotLost(dataDir)
  const onMigrated = (step: object) => log?.info('database migrated', { ...step })
  const observers = { onRefused, onDiskFailure, onMigrated, ...(onDamage && { onDamage }) }
  const db = openDatabase({ dataDir, quotas: config.quotas, stopwatch, ...observers })
  try {
    const { seal, instanceId } = openSeal(dataDir, db)
    noteStart(db, dataDir)
    const jwtSecret = config.jwtSecret ?? openJwtSecret(dataDir)
    const owner = { instanceId, organizationIds: organizationsIn(db) }
    const { samples, file, files } = openStore(options, owner)
    const exclusively = async (work: () => void) => work() // needs no lock: no transaction on samples.db spans event loop turns
    const prepare = file.prepare.bind(file)
    const commitMarks = [
      db.openMark({ ...markOptions, isCut: isCut.db }),
      openCommitMark({
        ...markOptions,
        isCut: isCut.samples,
        path: file.name,
        prepare,
        exclusively,
        isInPlace: files.isInPlace,
      }),
    ]
    for (const { file, lost } of commitMarks) logLost(log, file, lost())
    const assertInPlace = () => {
      db.assertInPlace()
      files.assert()
    }
    return { db, seal, instanceId, jwtSecret, samples, assertInPlace, commitMarks }
  } catch (error) {
    void db.close()
    throw isDamage(error) ? describeOpening(join(dataDir, 'nines.db'), error) : error
  }
}

/** Records in the database that this version has started. Does nothing on a disk that refuses writes: a later start records it. */
function noteStart(db: Statements, dataDir: string): void {
  try {
    recordStart(db, version)
  } catch (error) {
    if (!diskFailureOf(error, dataDir)) throw error
  }
}

function openStore(
  { config, dataDir, clock, stopwatch = systemStopwatch, log, onDamage, onDiskFailure = () => {} }: Options,
  owner: Owner,
): { samples: SampleStore; file: Connection; files: DatabaseFiles } {
  const claimForInstance = (opened: Connection) => {
    const removedCount = claimSamples(opened, owner)
    if (removedCount > 0)
      log?.warn('series of organizations that nines.db does not know have been removed', { removed: removedCount })
  }
  const isExpected = owner.organizationIds.length > 0 // both files existed when the first account was registered
  const file = openSamples(dataDir, { isExpected, check: claimForInstance, ...(onDamage && { onDamage }) })
  try {
    const onJump = (aheadMs: number) => log?.warn(jumpMessage, { days: Math.round(aheadMs / dayMs) })
    const retentionClock = createRetentionClock({ clock, stopwatch, knownMs: newestMs(file), onJump })
    const keepMs = config.samplesRetentionDays * dayMs
    const onUnreadable = (series: object) => {
      log?.error('samples of a series cannot be read', { series })
      onDamage?.({ file: 'samples.db', problem: 'samples of a series cannot be read' })
    }
    const store = createSampleStore({
      file,
      clock: retentionClock,
      keepMs,
      maxBytes: config.samplesMaxBytes,
      maxBytesOfOrganization: config.quotas.samples_bytes,
      limits: { ...defaultLabelLimits, seriesPerOrganization: config.quotas.series },
      onUnreadable,
    })
    const files = watchFiles(file)
    const throwTranslated = (error: unknown): never => {
      const failure = diskFailureOf(error, dataDir)
      if (failure) onDiskFailure(failure)
      throw failure ?? error
    }
    file.pragma('busy_timeout = 0') // `retry` waits for locks instead, without blocking the event loop
    const samples = guardWrites(store, { file, files, retry: createLockRetry(stopwatch), throwTranslated })
    return { samples, file, files }
  } catch (cause) {
    file.close()
    throw unreadable(file.name, cause)
  }
}

/** Boot id of the machine; empty if it has none. */
function bootIdOf(bootClock: BootClock): string {
  try {
    return bootClock.id()
  } catch {
    return ''
  }
}

function logLost(log: Log | undefined, file: string, lost: LostCommits | null): void {
  if (lost === null) return
  log?.error('commits may be missing', { file, since: isoTimeOrNull(lost.sinceMs), noted_at: isoTime(lost.notedMs) })
}

type WriteGuard = {
  file: Connection
  files: DatabaseFiles
  retry: LockRetry
  /** Throws the error of a failed write, as a `DiskFailure` if it is one. */
  throwTranslated: (error: unknown) => never
}

/**
 * Wraps a store. Writes wait while another process holds a lock. Once the file was moved or replaced, writes fail, because a
 * restart would not find them, and reading `path` throws.
 */
function guardWrites(store: SampleStore, { file, files, retry, throwTranslated }: WriteGuard): SampleStore {
  const write = <T>(work: () => Promise<T>) => files.around(() => retry(work)).catch(throwTranslated)
  return {
    ...store,
    get path() {
      files.assert()
      return store.path
    },
    flushCooperatively: () => write(store.flushCooperatively),
    pruneOld: () => write(store.pruneOld),
    startOutgoing: () => write(store.startOutgoing),
    endOutgoing: () => write(store.endOutgoing),
    nextOutgoing: (max) => write(() => store.nextOutgoing(max)),
    acknowledge: (batch) => write(() => store.acknowledge(batch)),
    close() {
      try {
        file.pragma(`busy_timeout = ${lockTimeoutMs}`)
        store.close()
      } catch (error) {
        throwTranslated(error)
      }
    },
  }
}

function organizationsIn(db: Statements): number[] {
  return db.prepare<[], number>('select id from organizations').pluck().all()
}

const jumpMessage = 'the clock is days ahead of the newest samples: for 24 hours, no samples are deleted for their age'

function newestMs(file: Connection): number | undefined {
  return file.prepare<[], number | null>('select max(end_ms) from chunks').pluck().get() ?? undefined
}
