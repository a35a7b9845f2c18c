import { version } from '../../../package.json' with { type: 'json' }
import type { SeenCertificate } from '../../certificate.ts'
import { type Clock, stopwatch as systemStopwatch } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { assertDescriptorsLeft } from '../../concurrency/descriptors.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { Log } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import type { Pinger } from '../probing/pinger.ts'
import { probe } from '../probing/probe.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { type Collector, createCollector } from './collector.ts'
import type { InternalTargets } from './fetch-exposition.ts'
import type { Item, ItemSeries, Outcome } from './item.ts'
import { createScraper, type Scraper } from './scrape.ts'
import type { Probe } from './target.ts'
import { openProbe } from '../probes/settings.ts'
import { listActive } from './collected-store.ts'
import { openTarget } from '../targets/targets.ts'
import { AppError } from '../../errors.ts'
import { createSeriesWriter } from './series/series-writer.ts'
import type { Label } from '../exposition/sample.ts'
import { targetLabels } from './series/target-labels.ts'
import { readStoredRuns } from './stored-runs.ts'

/** Runs all scrapes and probes of nines, and gives the metadata of the newest scrapes. */
type Collection = Collector & Pick<Scraper, 'metadata'>

type Deps = {
  db: Database
  clock: Clock
  stopwatch: Clock
  log: Log
  seal: Seal
  store: SampleStore
  outbound: Outbound
  pinger: Pinger
  internalTargets: InternalTargets
  /** `probeKey` of each probe that may connect to nines itself, where it listens. */
  ownProbes: ReadonlySet<string>
  metrics: Pick<Metrics, 'collected'>
  /** As in `CollectorDeps`: the reachability of a probe's target, or what is known of it, has changed. */
  onReachability: (organizationId: number, labels: Label[], minIntervalMs: number) => void
  /** Called with the certificate that a probe saw; null: the probe succeeded without one. */
  onCertificate: (probe: Probe, certificate: SeenCertificate | null) => void
  isClosing: () => boolean
}

export function createCollection(deps: Deps): Collection {
  const { db, seal } = deps
  const scraper = createScraper({ ...deps, version })
  const collector = createCollector({
    ...deps,
    list: (organizationId) => listItems({ db, seal }, organizationId),
    async runOnce({ kind, definition }: Item, signal, scrapeCache) {
      const outcome = await (kind === 'target'
        ? scraper.run(definition, signal, scrapeCache)
        : runProbe(definition, deps, signal))
      if (!outcome.ok) assertDescriptorsLeft() // without a free file descriptor, Bun reports a connection as refused
      return outcome
    },
    onCollected: deps.metrics.collected,
    open: ({ kind, definition }: Item) =>
      kind === 'target' ? scraper.open(definition) : openProbeSeries(deps, definition),
  })
  return { ...collector, metadata: scraper.metadata }
}

/** Key that is equal for all probes of an organization with the same type and target. */
export function probeKey({ organizationId, type, target }: Pick<Probe, 'organizationId' | 'type' | 'target'>): string {
  return `${organizationId} ${type} ${target}`
}

async function runProbe(
  definition: Probe,
  { outbound, pinger, ownProbes, clock }: Pick<Deps, 'outbound' | 'pinger' | 'ownProbes' | 'clock'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const beganMs = systemStopwatch.now()
  const allowSelf = ownProbes.has(probeKey(definition))
  const { success, error, samples, certificate } = await probe(definition, { outbound, pinger, signal, allowSelf })
  const durationMs = systemStopwatch.now() - beganMs
  const seen = certificate && { ...certificate, seenAt: Math.floor(clock.now() / 1000) }
  return { ok: success, error, durationMs, samples, certificate: seen }
}

/** Active targets and probes of one organization, or of all. */
export async function listItems({ db, seal }: { db: Database; seal: Seal }, organizationId?: number): Promise<Item[]> {
  const targets = await listActive(db.read, 'scrape_targets', organizationId)
  const probes = await listActive(db.read, 'probes', organizationId)
  return [
    ...targets.map((row): Item => ({ kind: 'target', definition: openTarget(seal, row) })),
    ...probes.map((row): Item => ({ kind: 'probe', definition: openProbe(seal, row) })),
  ]
}

/** Opens the series of one probe; the results of failed runs are written too. */
function openProbeSeries({ store, clock }: Pick<Deps, 'store' | 'clock'>, definition: Probe): ItemSeries {
  const labels = targetLabels(definition, definition.target)
  const writer = createSeriesWriter({ store, clock, organizationId: definition.organizationId, labels })
  return {
    write(timeMs, { samples }) {
      try {
        writer.write(samples, timeMs)
        return null
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return error.details ?? error.message
      }
    },
    end: writer.end,
    storedRuns: () => readStoredRuns({ store, clock }, definition),
  }
}
