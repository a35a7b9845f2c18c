import { statfs } from 'node:fs/promises'
import { Elysia, t } from 'elysia'
import { type Clock, isoTimeOrNull } from '../../clock.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { Config } from '../../config.ts'
import { readJson } from '../../http/bodies/body.ts'
import { operation } from '../../http/openapi/operation.ts'
import { WholeNumber } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Heartbeats } from '../heartbeats/keeper.ts'
import type { Collector } from '../collection/collector.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { createImports } from './import.ts'

type Deps = {
  clock: Clock
  config: Pick<Config, 'dataDir' | 'samplesRetentionDays' | 'samplesMaxBytes' | 'quotas' | 'bodyLimitBytes'>
  samples: Pick<SampleStore, 'whenFilled' | 'usedBy' | 'usedBytes' | 'oldestOf'>
  collector: Pick<Collector, 'intakeOf'>
  heartbeats: Pick<Heartbeats, 'intakeOf'>
  imports: ReturnType<typeof createImports>
  /** True for the instance's first organization, which alone sees data of the whole instance. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

function useOf(subject: string, description?: string) {
  const used = t.Number({ description: `how many ${subject} there are` })
  return t.Object(
    { used, limit: t.Number({ description: `how many ${subject} there may be` }) },
    { ...(description && { description }) },
  )
}

const Storage = t.Object(
  {
    retention_days: t.Number({ description: 'days after which samples are deleted (SAMPLES_RETENTION_DAYS)' }),
    series: useOf('series'),
    bytes: useOf('bytes', 'of samples of the organization'),
    oldest_at: t.Nullable(t.String()),
    samples_per_day: t.Number({
      description: 'the number of samples of targets, probes and heartbeats in a day, estimated from their last runs',
    }),
    bytes_per_day: t.Number({ description: 'bytes of samples in a day, estimated as 1.6 bytes per sample' }),
    import_bytes: t.Number({ description: 'maximum bytes of an import request (BODY_LIMIT)' }),
    file: t.Nullable(
      t.Object({
        ...useOf('bytes').properties,
        disk_free: t.Nullable(t.Number({ description: 'bytes free on the file system' })),
      }),
      {
        description: 'bytes of samples.db, of all organizations; null for all but the first organization',
      },
    ),
  },
  { title: 'SampleStorage' },
)

const ImportPart = t.Object(
  {
    text: t.String({ minLength: 1, description: 'whole lines of OpenMetrics with timestamps' }),
    first_line: t.Optional(WholeNumber({ min: 1, max: 1e12 })),
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
    too_old: t.Number({ description: 'how many samples were left out: older than what is kept' }),
    too_new: t.Number({ description: 'how many samples were left out: more than ten minutes in the future' }),
    first_at: t.Nullable(t.String()),
    last_at: t.Nullable(t.String()),
    slos: t.Nullable(
      t.Number({
        description:
          'the number of SLOs whose backfill starts again; null before the last part, or if no source is embedded',
      }),
    ),
  },
  { title: 'ImportedPart' },
)

const daySeconds = 86_400

/** Bytes per stored sample; measurements gave 1.2 to 1.9. */
const bytesPerSample = 1.6

/** Routes for the use of sample storage, and for importing older samples. */
export const storageRoutes = ({ guard, imports, isFirst, ...deps }: Deps) => {
  const oldestReads = createSingleFlight<number | null>() // scans all series of an organization
  return new Elysia({ prefix: '/embedded', tags: ['Embedded source'] })
    .use(
      signedIn({
        ...guard,
        writes: 'admin',
        readBody: (request, bounds, { organizationId }) =>
          request.method === 'POST'
            ? imports.receive(organizationId, () => readJson(request, bounds))
            : readJson(request, bounds),
      }),
    )
    .get(
      '/storage',
      async ({ caller: { organizationId } }) => {
        const { config, samples } = deps
        await samples.whenFilled()
        const { series, bytes } = samples.usedBy(organizationId)
        const collected = [
          deps.collector.intakeOf(organizationId, 'target'),
          deps.collector.intakeOf(organizationId, 'probe'),
          deps.heartbeats.intakeOf(organizationId),
        ]
        const samplesPerDay = Math.round(collected.reduce((sum, one) => sum + one.samplesPerSecond, 0) * daySeconds)
        const seesFile = await isFirst(organizationId)
        return {
          retention_days: config.samplesRetentionDays,
          series: { used: series, limit: config.quotas.series },
          bytes: { used: bytes, limit: config.quotas.samples_bytes },
          oldest_at: isoTimeOrNull(await oldestReads.join(organizationId, () => samples.oldestOf(organizationId))),
          samples_per_day: samplesPerDay,
          bytes_per_day: Math.round(samplesPerDay * bytesPerSample),
          import_bytes: config.bodyLimitBytes,
          file: seesFile
            ? { used: samples.usedBytes(), limit: config.samplesMaxBytes, disk_free: await freeBytes(config.dataDir) }
            : null,
        }
      },
      operation('getSampleStorage', 'Get the use of sample storage, and the retention', {
        description:
          'Of the organization: series, bytes, the oldest sample and what comes in a day. `file` is the whole file ' +
          'and the disk, for users of the first organization alone.',
        200: Storage,
      }),
    )
    .post(
      '/import',
      async ({ caller, body }) => {
        const { text, first_line: firstLine = 1, is_last: isLast = true } = body
        const { tooOld, tooNew, firstMs, lastMs, ...imported } = await imports.importPart(caller, {
          text,
          firstLine,
          isLast,
        })
        const times = { first_at: isoTimeOrNull(firstMs), last_at: isoTimeOrNull(lastMs) }
        return { ...imported, too_old: tooOld, too_new: tooNew, ...times }
      },
      operation('importSamples', 'Import older samples: a file of OpenMetrics, or a part of it that ends with a line', {
        description:
          'For administrators. A file longer than BODY_LIMIT is sent in parts, one after the other, `first_line` being the number of the ' +
          'first line of each and `is_last` true of the last alone, which ends in `# EOF`. After it the backfill of ' +
          'SLOs of the embedded source starts again. A part is refused before it is read while four parts of the organization ' +
          'arrive or wait (503), or once imports have used the CPU seconds per minute of the organization (429). Nothing of ' +
          'the part is imported then: send it again after `Retry-After` seconds.',
        body: ImportPart,
        200: ImportedPart,
        409: 'There are too many series',
        429: 'The imports of the organization have used their CPU seconds; `Retry-After` says when to send the part again',
        503: 'Four parts of the organization arrive or wait already, or nothing can be written; `Retry-After` says when to send it again',
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
