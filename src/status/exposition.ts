import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { createFamilies, type Family, labelText } from '../metrics/families.ts'
import { addProcess } from '../metrics/process.ts'
import { quotaNames, type QuotaUse } from '../quotas.ts'
import type { ClockWatch } from './watch/clock-watch.ts'
import { type Conditions, conditionNames } from './watch/conditions.ts'
import { succeeds } from './readiness.ts'
import {
  countBackfills,
  countQueued,
  listSourcesOfFirstOrganization,
  readNewestMeasurement,
  type SloScope,
} from './exposition-store.ts'
import { addSloSeries, type SloSeriesDeps } from './slo-series.ts'

type ExpositionDeps = Omit<SloSeriesDeps, 'maxSlos'> & {
  log: Log
  clockWatch: ClockWatch
  conditions: Pick<Conditions, 'list'>
  metrics: Metrics
  /** Throws while nines cannot serve requests. */
  readiness: () => Promise<void>
  dataDir: string
  quotaUse: QuotaUse
  maxSlos?: number
  /** Limit for the SLOs of one organization. */
  maxSlosOfOrganization?: number
}

/** Reader of `/metrics`. `nobody`: without a token; gets no series of any organization. */
export type Reader = SloScope | 'nobody'
type Gauge = (name: string, help: string) => Family
export type Expose = (reader: Reader) => Promise<Uint8Array<ArrayBuffer>>

/**
 * Creates the `/metrics` of a reader, in the text exposition format 0.0.4: counters, the present contents of the database, and
 * the series of the SLOs that the reader may see. Concurrent requests of the same reader share one result.
 */
export function createExposition(deps: ExpositionDeps): Expose {
  const { log, metrics, maxSlos = 10_000, maxSlosOfOrganization = 1000 } = deps
  const singleFlight = createSingleFlight<Uint8Array<ArrayBuffer>>()
  const leftOut = new Set<string>()
  let omittedBefore = 0

  /** Result of a part; undefined if it cannot be read, so that the other parts are still served. */
  async function unlessUnreadable<T>(part: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work()
      leftOut.delete(part)
      return value
    } catch (error) {
      const isKnown = error instanceof AppError || (error instanceof Error && 'code' in error) // such as a file that is not there
      if (!leftOut.has(part)) log.error('metrics left out', { part, error: isKnown ? error.message : error })
      leftOut.add(part)
      return undefined
    }
  }

  function warnOfOmitted(omitted: number) {
    if (omitted > 0 && omittedBefore === 0) {
      log.warn('more SLOs than /metrics has series for; the newest are left out', { max: maxSlos, omitted })
    }
    omittedBefore = omitted
  }

  async function sourcesFor(reader: Reader): Promise<'all' | number[]> {
    if (reader === 'all') return 'all'
    return reader === 'first' ? listSourcesOfFirstOrganization(deps.db.read) : []
  }

  const expose: Expose = async (reader) => {
    const families = createFamilies()
    const gauge: Gauge = (name, help) => families.family(name, 'gauge', help)
    await unlessUnreadable('ledger', () => addLedger(deps, gauge))
    await yieldToEventLoop()
    await unlessUnreadable('quotas', () => addQuotas(deps.quotaUse, gauge))
    await yieldToEventLoop()
    await unlessUnreadable('outbox', () => addOutbox(deps, gauge))
    await unlessUnreadable('backfills', () => addBackfills(deps, gauge))
    await unlessUnreadable('sizes', () => addSizes(deps, gauge))
    await yieldToEventLoop()
    if (reader !== 'nobody') {
      const limit = reader === 'all' ? maxSlos : maxSlosOfOrganization
      await unlessUnreadable('slos', async () => {
        const omitted = await addSloSeries({ ...deps, maxSlos: limit }, families, reader)
        gauge('nines_slo_series_omitted', 'Active SLOs beyond the number that has series here.')(omitted)
        if (reader === 'all') warnOfOmitted(omitted)
      })
    }
    gauge('up', '1 while nines can serve; the label `service` distinguishes it from the up of a scraper.')(
      (await succeeds(deps.readiness)) ? 1 : 0,
      labelText({ service: 'nines' }),
    )
    gauge(
      'nines_clock_jump_seconds',
      'By how much the clock was set last, ahead is positive; 0: it was not within ten minutes.',
    )(deps.clockWatch.jumpedSeconds())
    addConditions(deps.conditions, gauge)
    await unlessUnreadable('process', async () => addProcess(families))
    const sources = (await unlessUnreadable('sources', () => sourcesFor(reader))) ?? []
    gauge('nines_metrics_left_out', 'Parts of this page that could not be read.')(leftOut.size)
    return families.bytesAfter(await metrics.exposition({ sources }))
  }

  return (reader) => singleFlight.join(reader, () => expose(reader))
}

/** Adds all conditions, so that an alert rule works before a condition has ever held. */
function addConditions(conditions: Pick<Conditions, 'list'>, gauge: Gauge): void {
  const holds = new Set(conditions.list().map(({ name }) => name))
  const condition = gauge('nines_condition', 'What is wrong with nines itself: 1 while it holds, else 0.')
  for (const name of conditionNames) condition(holds.has(name) ? 1 : 0, labelText({ condition: name }))
}

/** Adds the quotas, without naming organizations. */
async function addQuotas({ limits, maxUsed }: QuotaUse, gauge: Gauge): Promise<void> {
  const maxUse = await maxUsed()
  const limit = gauge('nines_quota_limit', 'How much one organization may have.')
  const ratio = gauge('nines_quota_used_ratio_max', 'Share of its quota that the fullest organization uses.')
  for (const quota of quotaNames) {
    limit(limits[quota], labelText({ quota }))
    const count = maxUse[quota]
    if (count !== undefined) ratio(count / limits[quota], labelText({ quota }))
  }
}

const files = [
  ['main', 'nines.db'],
  ['wal', 'nines.db-wal'],
  ['samples', 'samples.db'],
  ['samples_wal', 'samples.db-wal'],
] as const

async function addLedger({ db, clock }: ExpositionDeps, gauge: Gauge): Promise<void> {
  const ledger = await readNewestMeasurement(db.read)
  gauge('nines_slos', 'Active SLOs of all organizations.')(ledger.slos)
  const lag = gauge('nines_ledger_lag_seconds', 'Age of the newest value of any active SLO that is not paused.')
  if (ledger.newestMs !== null) lag((clock.now() - ledger.newestMs) / 1000)
}

async function addOutbox({ db, clock }: ExpositionDeps, gauge: Gauge): Promise<void> {
  const age = (timeMs: number) => Math.max(0, clock.now() - timeMs) / 1000
  const queueCounts = await countQueued(db.read)
  const depth = gauge('nines_outbox_notifications', 'Notifications that are to be delivered.')
  const oldest = gauge('nines_outbox_oldest_age_seconds', 'Age of the oldest of them; 0: there is none.')
  for (const { status, count, oldestMs } of queueCounts) {
    depth(count, labelText({ status }))
    oldest(oldestMs === null ? 0 : age(oldestMs), labelText({ status }))
  }
}

async function addBackfills({ db }: ExpositionDeps, gauge: Gauge): Promise<void> {
  const backfillCounts = await countBackfills(db.read)
  const backfills = gauge('nines_backfills', 'Pasts of SLOs: waiting, running, done, cancelled, failed.')
  for (const { status, count } of backfillCounts) backfills(count, labelText({ status }))
}

async function addSizes({ dataDir }: ExpositionDeps, gauge: Gauge): Promise<void> {
  const sizes = await Promise.all(files.map(async ([file, name]) => [file, await stat(join(dataDir, name))] as const))
  const size = gauge(
    'nines_database_size_bytes',
    'Size of the database and of that of the samples, each with its write-ahead log.',
  )
  for (const [file, { size: bytes }] of sizes) size(bytes, labelText({ file }))
}
