import { statfs as systemStatfs } from 'node:fs/promises'
import { type Clock, hourMs, isoTime, minuteMs } from '../../clock.ts'
import type { CommitMark, LostCommits } from '../../db/data-folder/commit-mark.ts'
import { formatBytes } from '../format-bytes.ts'
import type { ClockWatch } from './clock-watch.ts'
import type { HealthCheckResult } from './watchdog.ts'

type BackupDeps = {
  clock: Clock
  /** Maximum age; 0: any age is accepted. */
  maxAgeHours: number
  /** Time of the last backup in ms; null: there was none. */
  lastBackup: () => number | null
  /** Resolves to true if there is an organization, that is, data to lose. */
  hasOrganizations: () => Promise<boolean>
}

/** Checks that there is a recent backup. */
export function watchBackups({
  clock,
  maxAgeHours,
  lastBackup,
  hasOrganizations,
}: BackupDeps): () => Promise<HealthCheckResult> {
  return async () => {
    if (maxAgeHours === 0) return null
    const lastMs = lastBackup()
    if (lastMs === null) return (await hasOrganizations()) ? 'there is no record of a backup of this data folder' : null
    const ageMs = clock.now() - lastMs
    if (Math.abs(ageMs) <= maxAgeHours * hourMs) return null
    if (ageMs < 0) return `the last backup is dated ${formatDuration(-ageMs)} ahead of now`
    return `the last backup is ${formatDuration(ageMs)} old`
  }
}

/** Reports that the clock of the machine was set, for as long as the clock watch returns the jump. */
export function watchClock(clockWatch: Pick<ClockWatch, 'jumpedSeconds'>): () => HealthCheckResult {
  return () => {
    const seconds = clockWatch.jumpedSeconds()
    if (seconds === 0) return null
    const direction = seconds > 0 ? 'ahead' : 'back'
    return `the clock of this machine was set ${formatDuration(Math.abs(seconds) * 1000)} ${direction}`
  }
}

/** Reads the size of a file system, and the space that a user may still write. */
export type ReadSpace = (path: string) => Promise<{ bsize: number; blocks: number; bavail: number }>

const minFreeRatio = 0.05
/** Bounds of the limit: 5 % of a large disk is more than needed. */
const maxLimitBytes = 5e9
const minLimitBytes = 256e6
/** Multiple of the limit that must be free to end the condition, so that it does not flap with the size of the write-ahead log. */
const recoveryFactor = 1.1

/** Checks that the file system of the data folder has room: 5 % of it, at most 5 GB and at least 256 MB. */
export function watchDisk(
  dataDir: string,
  readSpace: ReadSpace = (path) => systemStatfs(path),
): () => Promise<HealthCheckResult> {
  let isLow = false
  return async () => {
    try {
      const { bsize, blocks, bavail } = await readSpace(dataDir)
      const [allBytes, freeBytes] = [blocks * bsize, bavail * bsize]
      const limitBytes = Math.max(minLimitBytes, Math.min(maxLimitBytes, minFreeRatio * allBytes))
      isLow = freeBytes < limitBytes * (isLow ? recoveryFactor : 1)
      if (!isLow) return null
      return `${formatBytes(freeBytes)} of the ${formatBytes(allBytes)} of the data folder's file system are free`
    } catch (error) {
      const problem = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      if (problem === 'ENOENT') return null // a moved data folder is a separate condition
      return `the free space of the data folder's file system cannot be read (${problem})`
    }
  }
}

type EvaluationDeps = {
  clock: Clock
  /** Evaluation interval; 0: nothing is evaluated. */
  intervalMs: number
  hasSlosToEvaluate: () => Promise<boolean>
}

/** Checks that some SLO has been evaluated within three intervals. Without an interval or without SLOs, nothing is wrong. */
type EvaluationWatch = {
  /** Call it when evaluations have been stored. */
  noteStored(): void
  check(): Promise<HealthCheckResult>
}

export function watchEvaluations({ clock, intervalMs, hasSlosToEvaluate }: EvaluationDeps): EvaluationWatch {
  const limitMs = 3 * intervalMs
  let lastMs = clock.now()
  let hasStored = false
  return {
    noteStored() {
      lastMs = clock.now()
      hasStored = true
    },
    async check() {
      if (intervalMs === 0) return null
      // if the list cannot be read, assume that there are SLOs
      if (!(await hasSlosToEvaluate().catch(() => true))) {
        lastMs = clock.now()
        return null
      }
      if (clock.now() - lastMs >= limitMs) {
        return `no SLO has been evaluated for ${formatDuration(clock.now() - lastMs)}`
      }
      return hasStored ? null : undefined
    },
  }
}

/** Counts of scrape targets and probes, and how many of them fail repeatedly; `isSure`: it is known that the others do not. */
type Collected = { failing(organizationId?: number): { failing: number; all: number; isSure: boolean } }

/** Checks that scrapes and probes deliver data. A probe that finds its target down has delivered data. */
export function watchScrapes(
  collector: Collected,
  watched: () => Promise<'all' | number>,
): () => Promise<HealthCheckResult> {
  return async () => {
    const scope = await watched()
    const { failing, all, isSure } = collector.failing(scope === 'all' ? undefined : scope)
    if (failing > 0)
      return `${failing} of ${all} scrape targets and probes have failed again and again for five minutes`
    return isSure ? null : undefined
  }
}

/** State of remote write to another server. `timesCaughtUp`: how often all samples had been sent; null: remote write is off. */
type RemoteWriteState = {
  timesCaughtUp(): number | null
  problem(): string | null
  refused(): { samples: number; status: number } | null
}

const maxDelayMs = 15 * minuteMs

/** Checks that all samples have been sent on within the last 15 minutes. */
export function watchRemoteWrite(clock: Clock, sender: RemoteWriteState): () => HealthCheckResult {
  let lastMs = clock.now()
  let lastTimes = 0
  return () => {
    const times = sender.timesCaughtUp()
    if (times === null) return null
    if (times !== lastTimes) {
      lastMs = clock.now()
      lastTimes = times
    }
    const lateMs = clock.now() - lastMs
    if (lateMs < maxDelayMs) return times > 0 ? null : undefined
    const problem = sender.problem()
    return `samples have waited for the receiver of REMOTE_WRITE_URL for ${formatDuration(lateMs)}${problem === null ? '' : ` (${problem})`}`
  }
}

/** Reports samples that were dropped within the last hour because the receiver refused them. */
export function watchRefusedSamples(sender: RemoteWriteState): () => HealthCheckResult {
  return () => {
    const refused = sender.refused()
    if (!refused) return null
    return `the receiver of REMOTE_WRITE_URL refused ${refused.samples} samples, last with HTTP ${refused.status}; they are dropped`
  }
}

/** Reports that the trusted header came from an address other than the proxy's within the last hour. */
export function watchTrustedHeader(clock: Clock, ignoredAtMs: () => number | undefined): () => HealthCheckResult {
  return () => {
    const atMs = ignoredAtMs()
    if (atMs === undefined || clock.now() - atMs >= hourMs) return null
    return 'somebody sent the header TRUSTED_HEADER_USER from an address that TRUST_PROXY does not name; it was ignored'
  }
}

/** Reports commits that a start found missing, until the alert about them is acknowledged. */
export function watchCommits(
  marks: Pick<CommitMark, 'file' | 'lost' | 'acknowledge'>[],
  acknowledgedMs: () => Promise<number | null>,
): () => Promise<HealthCheckResult> {
  return async () => {
    const problems: string[] = []
    for (const mark of marks) {
      const lost = mark.lost()
      if (lost === null) continue
      const isAcknowledged = ((await acknowledgedMs()) ?? -Infinity) >= lost.foundMs - 1000 // acknowledgements have whole seconds
      if (isAcknowledged) await mark.acknowledge()
      else problems.push(describeLost(mark.file, lost))
    }
    return problems.length === 0 ? null : problems.join('; ')
  }
}

function describeLost(file: string, { sinceMs, notedMs }: LostCommits): string {
  const when = sinceMs === null ? `until ${isoTime(notedMs)}` : `since ${isoTime(sinceMs)}`
  return `${file} has lost commits that were on the disk: what was stored ${when} may be missing`
}

/** Formats a duration: seconds below 2 minutes, minutes below 2 hours, then hours; as in `90 seconds`, `5 minutes`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds >= 7200) return `${Math.floor(seconds / 3600)} hours`
  return seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`
}
