import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { SeenCertificate } from '../../certificate.ts'
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import type { ScrapeCache } from '../exposition/scrape-cache.ts'
import type { Log } from '../../log.ts'
import {
  type Failing,
  failingOf,
  groupOf,
  type Failures,
  hasFailed,
  isLack,
  type Health,
  isContinued,
  isTimely,
  type Item,
  type ItemSeries,
  keyOf,
  lastDue,
  nameOf,
  type Schedule,
  scheduleOf,
  unknownHealth,
  withRun,
  withoutRun,
  withTimeout,
} from './item.ts'
import { findingsOf } from './findings.ts'
import { type Intake, intakeOf } from './intake.ts'
import type { Probe } from './target.ts'
import {
  afterRun,
  retryDelayMs,
  confirmationOf,
  type Reachability,
  reachabilityOf,
  unknownReachability,
} from './reachability.ts'
import { createStoppedChecks } from './stopped-checks.ts'
import { targetLabels } from './series/target-labels.ts'
import type { Label } from '../exposition/sample.ts'
import type { Scraped } from './series/target-series.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'

/**
 * Runs scrapes and probes. Each item is due at a fixed second of its interval, and its samples carry the due time. An item
 * never runs twice at once: a due time that passes during a run is skipped. Once the app is closing, nothing starts and runs
 * under way are not written.
 */
export type Collector = {
  /** Starts what is due; must be called every second. */
  tick(): void
  /** Reloads the items of an organization. The series of removed items end at once. */
  reload(organizationId: number): Promise<void>
  /** Reloads the items at the next tick, for a change that is not committed yet. */
  reloadAtNextTick(organizationId: number): void
  healthOf(kind: Item['kind'], id: number): Health
  /** Probes of an organization, also those that have stopped since nines started; null until they have been read. */
  probesOf(organizationId: number): CollectedProbe[] | null
  /** Number of items, of all or of one organization, that fail repeatedly; see `failingOf`. */
  failing(organizationId?: number): Failing
  /** Counts and newest error of the samples that come from an organization's targets or probes. */
  intakeOf(organizationId: number, kind: Item['kind']): Intake
  /** Runs an item now, active or not, and writes nothing. */
  runOnce(item: Item): Promise<Scraped>
  /** Waits for runs under way; aborts them first if the app is closing. */
  drain(): Promise<void>
}

/** A probe with the labels of its series (without `__name__`), the reachability of its target, and its last runs. */
export type CollectedProbe = Pick<Reachability, 'isDown' | 'sinceMs' | 'error' | 'failedMs'> & {
  name: string
  labels: readonly Label[]
  intervalMs: number
  recent: Health['recent']
  nextAtMs: number
  /** The last run failed, and it is not yet known if the target is down. */
  isUnconfirmed: boolean
  /** Why it no longer runs, since `sinceMs`; absent: it runs. */
  stopped?: string
}

export type CollectorDeps = {
  clock: Clock
  stopwatch: Clock
  log: Log
  /** Lists the items to collect, of one organization or of all. */
  list: (organizationId?: number) => Promise<Item[]>
  /**
   * Runs an item once and writes nothing. `scrapeCache`: that of its series. Throws once the signal is aborted, and `unavailable` if
   * nines lacks what a run needs: a run that throws is no measurement, and nothing of it is stored.
   */
  runOnce: (item: Item, signal: AbortSignal, scrapeCache?: ScrapeCache) => Promise<Scraped>
  open: (item: Item) => ItemSeries
  onCollected?: (kind: Item['kind'], ok: boolean) => void
  /** Called with the certificate that a probe saw; null: the probe succeeded without one. */
  onCertificate?: (probe: Probe, certificate: SeenCertificate | null) => void
  /**
   * Called when the target of a probe is down, or up again, after each failed run of its schedule, once a run succeeds again, and when
   * the probe has stopped. `minIntervalMs`: interval of the probe if its target was down already; otherwise 0.
   */
  onReachability?: (organizationId: number, labels: Label[], minIntervalMs: number) => void
  isClosing: () => boolean
}

/**
 * `seenMs`: last due time that was started or skipped. `againMs`: time by the stopwatch at which a failed run of a probe is tried
 * again.
 */
type Entry = {
  item: Item
  series: ItemSeries
  schedule: Schedule
  seenMs: number
  health: Health
  failures: Failures
  reachability: Reachability
  againMs: number | null
  /** `writes`: false for a run that only confirms the last one. */
  run: { controller: AbortController; writes: boolean } | null
}

const notRun = { health: unknownHealth, failures: null, reachability: unknownReachability, againMs: null }

const openBatchSize = 10
const maxConcurrentRuns = 128
const maxRunsOfGroup = 64
const maxTryMs = 10_000 // a user waits for it

export function createCollector(deps: CollectorDeps): Collector {
  const { clock, stopwatch, log, list, runOnce, open, isClosing } = deps
  const { onCollected = () => {}, onCertificate = () => {}, onReachability = () => {} } = deps
  const entries = new Map<string, Entry>()
  const queue = createFairQueue<string>({ max: maxConcurrentRuns, maxOfGroup: maxRunsOfGroup })
  const underWay = createSemaphore()
  const runs = new Set<AbortController>()
  const loads = createSemaphore(1) // an older read must not overwrite a newer one
  const organizationsToReload = new Set<number>()
  const stoppedChecks = createStoppedChecks<CollectedProbe>()
  let isLoaded = false
  let isReadable = true // so that failures in a row are logged once

  const nextOf = (schedule: Schedule) => lastDue(schedule, clock.now()) + schedule.intervalMs
  const load = (organizationId?: number) => loads.run(() => read(organizationId))

  async function read(organizationId?: number): Promise<void> {
    try {
      await replace(await list(organizationId), organizationId)
      if (organizationId === undefined) isLoaded = true
      isReadable = true
    } catch (error) {
      isLoaded = false // reload everything at the next tick
      if (!isClosing() && isReadable) log.error('what is to be collected cannot be read', { error })
      isReadable = false
    }
  }

  async function replace(items: Item[], organizationId?: number): Promise<void> {
    const itemsByKey = new Map(items.map((item) => [keyOf(item), item]))
    for (const [key, entry] of entries) {
      const isSelected = organizationId === undefined || entry.item.definition.organizationId === organizationId
      if (!isSelected || itemsByKey.has(key)) continue
      entries.delete(key)
      end(entry)
      if (entry.item.kind === 'probe') noteStopped(entry, 'is paused or was deleted')
    }
    let openedCount = 0
    for (const [key, item] of itemsByKey) {
      const known = entries.get(key)
      if (known) {
        update(known, item)
        continue
      }
      const entry = { item, ...startSchedule(item), ...openEntry(item), run: null }
      entries.set(key, entry)
      if (item.kind === 'probe') stoppedChecks.resume(item.definition.organizationId, probeOf(entry).labels)
      openedCount += 1
      if (openedCount % openBatchSize === 0) await yieldToEventLoop() // the stored runs of each are read
    }
  }

  /** Opens the series of an item that has not run yet, with the health and reachability that its stored runs give. */
  function openEntry(item: Item) {
    const series = open(item)
    const recent = series.storedRuns?.() ?? []
    if (item.kind !== 'probe' || recent.length === 0) return { series, ...notRun }
    const { intervalMs } = item.definition
    const reachability = reachabilityOf(recent, confirmationOf(item.definition), { nowMs: clock.now(), intervalMs })
    return { series, ...notRun, health: { ...unknownHealth, recent }, reachability }
  }

  function probeOf({ item: { definition }, health, schedule, reachability }: Entry): CollectedProbe {
    const { isDown, sinceMs, error, failures, failedMs } = reachability
    return {
      name: definition.name,
      recent: health.recent,
      nextAtMs: nextOf(schedule),
      labels: 'target' in definition ? targetLabels(definition, definition.target) : [],
      intervalMs: definition.intervalMs,
      isDown,
      sinceMs,
      error,
      isUnconfirmed: failures > 0 && isDown !== true,
      failedMs,
    }
  }

  /** Notes that a probe stopped: its target is neither up nor down from now on, which ends the outages of SLOs that read it. */
  function noteStopped(entry: Entry, why: string): void {
    const { organizationId, name } = entry.item.definition
    const unknown = { isDown: null, sinceMs: clock.now(), error: null, isUnconfirmed: false, stopped: `${name} ${why}` }
    const probe = { ...probeOf(entry), ...unknown }
    stoppedChecks.add(organizationId, probe)
    onReachability(organizationId, [...probe.labels], 0)
  }

  function startSchedule(item: Item) {
    const schedule = scheduleOf(keyOf(item), item.definition.intervalMs)
    return { schedule, seenMs: lastDue(schedule, clock.now()) }
  }

  function update(entry: Entry, item: Item): void {
    const formerItem = entry.item
    if (formerItem.definition.intervalMs !== item.definition.intervalMs) Object.assign(entry, startSchedule(item))
    if (!isContinued(formerItem, item)) {
      if (item.kind === 'probe') noteStopped(entry, 'has other labels now')
      end(entry)
      Object.assign(entry, openEntry(item), { item })
      if (item.kind === 'probe') stoppedChecks.resume(item.definition.organizationId, probeOf(entry).labels)
    }
    entry.item = item
  }

  function end({ item, series, run: last }: Entry): void {
    last?.controller.abort()
    const failed = (error: unknown) => log.error('series could not be ended', { ...nameOf(item), error })
    try {
      const ending = series.end(clock.now())
      if (ending) void underWay.run(() => ending.catch(failed))
    } catch (error) {
      failed(error)
    }
  }

  /** Registers a run for `drain`, which waits for it, and aborts it first if the app is closing. */
  function track<T>(run: AbortController, work: Promise<T>): Promise<T> {
    runs.add(run)
    return underWay.run(() => work).finally(() => runs.delete(run))
  }

  function start(entry: Entry, writes: boolean): void {
    const run = { controller: new AbortController(), writes }
    entry.run = run
    const { signal } = run.controller
    const task = async () => {
      try {
        if (!signal.aborted && !isClosing()) await (writes ? collect(entry, signal) : confirm(entry, signal))
      } catch (error) {
        if (signal.aborted) return
        log.error('collecting failed', { ...(isLack(error) ? {} : nameOf(entry.item)), error }) // without a name, so that equal lines are logged once
        entry.failures = (entry.failures ?? 0) + 1
        entry.health = withoutRun(entry.health, error, clock.now())
      } finally {
        if (entry.run === run) entry.run = null
      }
    }
    void track(run.controller, queue.run(groupOf(entry), task))
  }

  async function collect(entry: Entry, signal: AbortSignal): Promise<void> {
    const { item, series, schedule } = entry
    const lastAtMs = clock.now()
    const dueMs = lastDue(schedule, lastAtMs) // later than the due time that started the run, if the run had to wait
    entry.seenMs = dueMs
    const outcome = await runOnce(item, signal, series.scrapeCache)
    if (signal.aborted) return
    const refusal = await series.write(dueMs, outcome, signal)
    const isProbe = item.kind === 'probe'
    const isUp = outcome.ok && (isProbe || refusal === null) // a probe has measured its target, also if its samples are refused
    const lastError = outcome.error ?? refusal
    const error = isProbe ? outcome.error : lastError
    onCollected(item.kind, outcome.ok && refusal === null)
    if (item.kind === 'probe' && (outcome.certificate || outcome.ok))
      onCertificate(item.definition, outcome.certificate ?? null)
    entry.failures = hasFailed(item, outcome, refusal) ? (entry.failures ?? 0) + 1 : 0
    entry.health = {
      status: isUp ? 'up' : 'down',
      lastAtMs,
      lastDurationMs: outcome.durationMs,
      lastError,
      samples: outcome.samples.length,
      recent: withRun(entry.health.recent, { atMs: lastAtMs, durationMs: outcome.durationMs, ok: isUp, error }),
      findings: item.kind === 'probe' ? findingsOf(outcome) : null,
      downSinceMs: entry.health.downSinceMs,
      nextAtMs: null,
    }
    noteRun(entry, { ok: outcome.ok, error: outcome.error, atMs: lastAtMs }, true)
  }

  /** Runs a probe again after a failure. The run is listed, and written to no series. */
  async function confirm(entry: Entry, signal: AbortSignal): Promise<void> {
    const atMs = clock.now()
    const { ok, error, durationMs } = await runOnce(entry.item, signal)
    if (signal.aborted) return
    entry.health = {
      ...entry.health,
      recent: withRun(entry.health.recent, { atMs, durationMs, ok, error }),
      status: ok ? 'up' : 'down',
      lastAtMs: atMs,
      lastDurationMs: durationMs,
      lastError: error,
    }
    noteRun(entry, { ok, error, atMs }, false)
  }

  /** Adds a run to the reachability of a probe; reports it if its SLOs are to be evaluated. `isWritten`: it is in the series. */
  function noteRun(entry: Entry, run: { ok: boolean; error: string | null; atMs: number }, isWritten: boolean): void {
    const { item, reachability: former } = entry
    if (item.kind !== 'probe') return
    const confirmation = confirmationOf(item.definition)
    const updated = afterRun(former, run, confirmation)
    const againMs = retryDelayMs(updated, confirmation)
    entry.reachability = updated
    entry.againMs = againMs === null ? null : stopwatch.now() + againMs
    entry.health = { ...entry.health, downSinceMs: updated.isDown ? updated.sinceMs : null }
    const isFailure = isWritten && !run.ok
    const isRecovery = run.ok && former.failures > 0
    const isSame = updated.isDown === former.isDown
    if (isSame && !isFailure && !isRecovery) return
    const { organizationId, target, intervalMs } = item.definition
    const isKnownDown = isSame && isFailure && updated.isDown === true
    onReachability(organizationId, targetLabels(item.definition, target), isKnownDown ? intervalMs : 0)
  }

  return {
    tick() {
      if (isClosing()) return
      if (!isLoaded) {
        if (loads.size === 0) void load()
        return
      }
      for (const id of organizationsToReload) void load(id)
      organizationsToReload.clear()
      const nowMs = clock.now()
      for (const entry of entries.values()) {
        const dueMs = lastDue(entry.schedule, nowMs)
        const isDue = dueMs !== entry.seenMs && isTimely(entry.schedule, dueMs, nowMs)
        const mustConfirm = entry.againMs !== null && stopwatch.now() >= entry.againMs
        entry.seenMs = dueMs
        if (isDue && entry.run?.writes === false) {
          entry.run.controller.abort() // the run that is due confirms as well, and must not be skipped
          entry.run = null
        }
        if (entry.run || !(isDue || mustConfirm)) continue
        entry.againMs = null
        start(entry, isDue)
      }
    },
    reload: load,
    reloadAtNextTick: (organizationId) => void organizationsToReload.add(organizationId),
    healthOf(kind, id) {
      const entry = entries.get(`${kind} ${id}`)
      if (!entry) return unknownHealth
      const { health, schedule } = entry
      return { ...health, nextAtMs: nextOf(schedule) }
    },
    probesOf(organizationId) {
      if (!isLoaded) return null
      const isOwn = ({ item: { kind, definition } }: Entry) =>
        kind === 'probe' && definition.organizationId === organizationId
      return [...entries.values().filter(isOwn).map(probeOf), ...stoppedChecks.listOf(organizationId)]
    },
    failing(organizationId) {
      const isSelected = ({ item }: Entry) =>
        organizationId === undefined || item.definition.organizationId === organizationId
      return failingOf([...entries.values()].filter(isSelected))
    },
    intakeOf: (organizationId, kind) =>
      intakeOf(
        entries.values().filter(({ item }) => item.kind === kind && item.definition.organizationId === organizationId),
      ),
    async runOnce(item) {
      const run = new AbortController()
      try {
        return await track(run, runOnce(withTimeout(item, maxTryMs), run.signal))
      } catch (error) {
        if (!run.signal.aborted) throw error
        throw new AppError('unavailable', 'Shutting down')
      }
    },
    async drain() {
      await loads.drain()
      if (isClosing()) for (const run of runs) run.abort()
      await underWay.drain()
    },
  }
}
