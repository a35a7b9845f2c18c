import { statfs } from 'node:fs/promises'
import { Elysia, t } from 'elysia'
import { type Clock, isoTimeOrNull } from '../../clock.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { Config } from '../../config.ts'
import { operation } from '../../http/openapi/operation.ts'
import { WholeNumber } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Collector } from '../collection/collector.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { createImports } from './import.ts'

type Deps = {
  clock: Clock
  config: Pick<Config, 'dataDir' | 'samplesRetentionDays' | 'samplesMaxBytes' | 'quotas' | 'bodyLimitBytes'>
  samples: Pick<SampleStore, 'usedBy' | 'usedBytes' | 'oldestOf'>
  collector: Pick<Collector, 'samplesPerDay'>
  importPart: ReturnType<typeof createImports>
  /** Whether an organization is the instance's first: what holds for the whole instance is for it alone. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const Storage = t.Object(
  {
    retention_days: t.Number({ description: 'older samples go (SAMPLES_RETENTION_DAYS)' }),
    series: t.Object({ used: t.Number(), limit: t.Number() }),
    bytes: t.Object({ used: t.Number(), limit: t.Number() }, { description: 'of samples of the organization' }),
    oldest_at: t.Nullable(t.String()),
    samples_per_day: t.Number({ description: 'of targets and probes, as their last runs went' }),
    bytes_per_day: t.Number({ description: 'the same, at 1.6 bytes a sample' }),
    import_bytes: t.Number({ description: 'how long a request of an import may be (BODY_LIMIT)' }),
    file: t.Nullable(t.Object({ used: t.Number(), limit: t.Number(), disk_free: t.Nullable(t.Number()) }), {
      description: 'bytes of samples.db, of all organizations; null for all but the first organization',
    }),
  },
  { title: 'SampleStorage' },
)

const ImportPart = t.Object(
  {
    text: t.String({ minLength: 1, description: 'whole lines of OpenMetrics with timestamps' }),
    first_line: t.Optional(WholeNumber({ least: 1, most: 1e12 })),
    is_last: t.Optional(t.Boolean({ description: 'true or false' })),
  },
  {
    title: 'ImportPart',
    examples: [{ text: '# TYPE jobs gauge\njobs 3 1795255200\n# EOF\n' }],
  },
)

const ImportedPart = t.Object(
  {
    samples: t.Number(),
    series: t.Number(),
    too_old: t.Number({ description: 'left out: older than what is kept' }),
    too_new: t.Number({ description: 'left out: more than ten minutes in the future' }),
    first_at: t.Nullable(t.String()),
    last_at: t.Nullable(t.String()),
    slos: t.Nullable(t.Number({ description: 'after the last part: how many SLOs ask for their past again' })),
  },
  { title: 'ImportedPart' },
)

/** In what was measured it is 1.2 to 1.9. */
const bytesOfSample = 1.6

/** How full the samples are, and the import of older ones. */
export const storageRoutes = ({ guard, importPart, isFirst, ...deps }: Deps) => {
  const oldest = createSingleFlight<number | null>() // all series of an organization are looked at
  return new Elysia({ prefix: '/embedded', tags: ['Embedded source'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/storage',
      async ({ caller: { organizationId } }) => {
        const { config, samples } = deps
        const { series, bytes } = samples.usedBy(organizationId)
        const samplesPerDay = Math.round(deps.collector.samplesPerDay(organizationId))
        const isInstance = await isFirst(organizationId)
        return {
          retention_days: config.samplesRetentionDays,
          series: { used: series, limit: config.quotas.series },
          bytes: { used: bytes, limit: config.quotas.samples_bytes },
          oldest_at: isoTimeOrNull(await oldest.join(organizationId, () => samples.oldestOf(organizationId))),
          samples_per_day: samplesPerDay,
          bytes_per_day: Math.round(samplesPerDay * bytesOfSample),
          import_bytes: config.bodyLimitBytes,
          file: isInstance
            ? { used: samples.usedBytes(), limit: config.samplesMaxBytes, disk_free: await freeBytes(config.dataDir) }
            : null,
        }
      },
      operation('getSampleStorage', 'How full the samples are, and how long they are kept', { 200: Storage }),
    )
    .post(
      '/import',
      async ({ caller, body }) => {
        const { text, first_line: firstLine = 1, is_last: isLast = true } = body
        const { tooOld, tooNew, firstMs, lastMs, ...imported } = await importPart(caller, { text, firstLine, isLast })
        const times = { first_at: isoTimeOrNull(firstMs), last_at: isoTimeOrNull(lastMs) }
        return { ...imported, too_old: tooOld, too_new: tooNew, ...times }
      },
      operation('importSamples', 'Import older samples: a file of OpenMetrics, or a part of it that ends with a line', {
        description:
          'A file longer than BODY_LIMIT is sent in parts, one after the other, `first_line` being the number of the ' +
          'first line of each and `is_last` true of the last alone, which ends in `# EOF`. After it the SLOs over the ' +
          'embedded source ask for their past again.',
        body: ImportPart,
        200: ImportedPart,
        409: 'There are too many series',
      }),
    )
}

async function freeBytes(dataDir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    return bavail * bsize
  } catch {
    return null
  }
}
