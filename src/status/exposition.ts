import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { createFamilies, type Families, labelText } from '../metrics/families.ts'
import { addProcess } from '../metrics/process.ts'
import { quotaNames, type QuotaUse } from '../quotas.ts'
import type { ClockWatch } from './clock-watch.ts'
import { type Conditions, conditionNames } from './conditions.ts'
import { succeeds } from './readiness.ts'
import { countBackfills, countQueued, listFirstSources, readLedgerHead, type Whose } from './series-store.ts'
import { addSloSeries, type SloSeriesDeps } from './slo-series.ts'

type ExpositionDeps = Omit<SloSeriesDeps, 'mostSlos'> & {
  log: Log
  clockWatch: ClockWatch
  conditions: Pick<Conditions, 'list'>
  metrics: Metrics
  /** Throws while nines cannot serve. */
  readiness: () => Promise<void>
  dataDir: string
  quotaUse: QuotaUse
  mostSlos?: number
  /** Of one organization. */
  mostSlosOfOne?: number
}

/** `nobody`: a stranger, who reads what says nothing of any organization. */
export type Reader = Whose | 'nobody'
export type Expose = (reader: Reader) => Promise<Uint8Array<ArrayBuffer>>

/**
 * What `/metrics` says to a reader, in the text exposition format 0.0.4: what was counted, what the database holds now,
 * and the series of the SLOs that the reader may know of. Those who ask for the same while it is put together share one.
 */
export function createExposition(deps: ExpositionDeps): Expose {
  const { log, metrics, mostSlos = 10_000, mostSlosOfOne = 1000 } = deps
  const underWay = new Map<Reader, Promise<Uint8Array<ArrayBuffer>>>()
  let omittedBefore = 0

  function tell(omitted: number) {
    if (omitted > 0 && omittedBefore === 0) {
      log.warn('more SLOs than /metrics has series for; the newest are left out', { most: mostSlos, omitted })
    }
    omittedBefore = omitted
  }

  async function sourcesFor(reader: Reader): Promise<'all' | number[]> {
    if (reader === 'all') return 'all'
    return reader === 'first' ? listFirstSources(deps.db.read) : []
  }

  const expose: Expose = async (reader) => {
    const families = createFamilies()
    const { slos } = await addDatabase(deps, families)
    await nextTurn()
    if (reader !== 'nobody') {
      const most = reader === 'all' ? mostSlos : mostSlosOfOne
      const omitted = Math.max(0, slos - (await addSloSeries({ ...deps, mostSlos: most }, families, reader)))
      families.family('nines_slo_series_omitted', 'gauge', 'Active SLOs that have no series here.')(omitted)
      if (reader === 'all') tell(omitted)
    }
    const up = families.family(
      'up',
      'gauge',
      'Whether nines can serve; `service` keeps it apart from the up of a scraper.',
    )
    up((await succeeds(deps.readiness)) ? 1 : 0, labelText({ service: 'nines' }))
    const jump = families.family(
      'nines_clock_jump_seconds',
      'gauge',
      'By how much the clock was set last, ahead is positive; 0: it was not within ten minutes.',
    )
    jump(deps.clockWatch.jumpedSeconds())
    addConditions(deps.conditions, families)
    addProcess(families)
    return families.bytesAfter(await metrics.exposition({ sources: await sourcesFor(reader) }))
  }

  return async (reader) => {
    const exposed = underWay.get(reader) ?? expose(reader).finally(() => void underWay.delete(reader))
    underWay.set(reader, exposed)
    return exposed
  }
}

/** All of them, so that an alert rule reads the same before one has ever held. */
function addConditions(conditions: Pick<Conditions, 'list'>, { family }: Families): void {
  const holds = new Set(conditions.list().map(({ name }) => name))
  const condition = family('nines_condition', 'gauge', 'What is wrong with nines itself: 1 while it holds, else 0.')
  for (const name of conditionNames) condition(holds.has(name) ? 1 : 0, labelText({ condition: name }))
}

/** Of which organization, nobody is told. */
async function addQuotas({ limits, mostUsed }: QuotaUse, family: Families['family']): Promise<void> {
  const used = await mostUsed()
  const limit = family('nines_quota_limit', 'gauge', 'How much one organization may have.')
  const ratio = family('nines_quota_used_ratio_max', 'gauge', 'Share of its quota that the fullest organization uses.')
  for (const quota of quotaNames) {
    limit(limits[quota], labelText({ quota }))
    const most = used[quota]
    if (most !== undefined) ratio(most / limits[quota], labelText({ quota }))
  }
}

const files = [
  ['main', 'nines.db'],
  ['wal', 'nines.db-wal'],
  ['samples', 'samples.db'],
  ['samples_wal', 'samples.db-wal'],
] as const

async function addDatabase(
  { db, clock, dataDir, quotaUse }: ExpositionDeps,
  { family }: Families,
): Promise<{ slos: number }> {
  const ledger = await readLedgerHead(db.read)
  const age = (timeMs: number) => Math.max(0, clock.now() - timeMs) / 1000
  family('nines_slos', 'gauge', 'Active SLOs of all organizations.')(ledger.slos)
  const lag = family('nines_ledger_lag_seconds', 'gauge', 'Age of the newest value of any active SLO.')
  if (ledger.newestMs !== null) lag((clock.now() - ledger.newestMs) / 1000)
  await nextTurn()
  await addQuotas(quotaUse, family)
  await nextTurn()
  const depth = family('nines_outbox_notifications', 'gauge', 'Notifications that are to be delivered.')
  const oldest = family('nines_outbox_oldest_age_seconds', 'gauge', 'Age of the oldest of them; 0: there is none.')
  for (const { status, count, oldestMs } of await countQueued(db.read)) {
    depth(count, labelText({ status }))
    oldest(oldestMs === null ? 0 : age(oldestMs), labelText({ status }))
  }
  const backfills = family('nines_backfills', 'gauge', 'Pasts of SLOs: waiting, running, done, cancelled, failed.')
  for (const { status, count } of await countBackfills(db.read)) backfills(count, labelText({ status }))
  const size = family(
    'nines_database_size_bytes',
    'gauge',
    'Size of the database and of that of the samples, each with its write-ahead log.',
  )
  for (const [file, name] of files) {
    size((await stat(join(dataDir, name))).size, labelText({ file }))
  }
  return ledger
}
