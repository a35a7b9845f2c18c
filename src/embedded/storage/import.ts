import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, dayMs } from '../../clock.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Config } from '../../config.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { BodyBudget } from '../../http/bodies/body-budget.ts'
import type { Caller } from '../../http/signed-in.ts'
import { type Imported, importSamples, nothingImported } from '../import-samples.ts'
import { createCpuBudget } from '../query-limits.ts'
import type { SampleStore } from '../store/sample-store.ts'

/** Whole lines of an OpenMetrics file, sent in one request. Only the last part ends in `# EOF`. */
type Part = { text: string; firstLine: number; isLast: boolean }

type Deps = {
  db: Database
  clock: Clock
  stopwatch: Clock
  config: Pick<Config, 'samplesRetentionDays' | 'queryCpuSecondsPerMinute'>
  samples: SampleStore
  bodyBudget: BodyBudget
  /**
   * Reopens the backfill of the SLOs of the embedded source, and drops cached answers. Gives the number of these SLOs; null if
   * no source is the embedded one.
   */
  restartBackfills: (organizationId: number) => Promise<number | null>
}

/** `slos`: number of SLOs whose backfill was reopened; null before the last part, and if no source is the embedded one. */
type PartImported = Imported & { slos: number | null }

const bytesPerBatch = 32 * 1024 // parsed in a millisecond or two
const flushEvery = 10_000 // samples; sorting more of one series would hold up the event loop
const endLine = '# EOF\n'

/** Maximum parts of one organization: one is imported while the others arrive or wait. */
export const maxParts = 4
const retrySeconds = 2

/** Imports the parts of files while nines runs, one part at a time. */
type Imports = {
  /**
   * Reads an arriving part. Throws `unavailable` if the organization has `maxParts` already, and `rate_limited` if its imports
   * have used their CPU seconds; nothing of the part has been read then.
   */
  receive<T>(organizationId: number, read: () => Promise<T>): Promise<T>
  /**
   * Imports a part. Throws `invalid` for a bad line and `too_large` for one that is too long, naming it; samples before that line are
   * kept. Otherwise throws like `receive`, also `unavailable` if bodies have no room.
   */
  importPart(caller: Caller, part: Part): Promise<PartImported>
}

export function createImports({ db, clock, stopwatch, config, samples, bodyBudget, restartBackfills }: Deps): Imports {
  const queue = createFairQueue<number>({ max: 1, maxOfGroup: 1 })
  const arriving = new Map<number, number>()
  const secondsPerMinute = config.queryCpuSecondsPerMinute
  const budget = createCpuBudget({ secondsPerMinute, clock: stopwatch, workload: 'imports' })

  function assertPlace(organizationId: number): void {
    budget.assertLeft(organizationId)
    if (queue.sizeOf(organizationId) + (arriving.get(organizationId) ?? 0) >= maxParts) throw tooMany()
  }

  function arrive(organizationId: number, parts: 1 | -1): void {
    const count = (arriving.get(organizationId) ?? 0) + parts
    if (count > 0) arriving.set(organizationId, count)
    else arriving.delete(organizationId)
  }

  async function importText(caller: Caller, { text, firstLine, isLast }: Part): Promise<Imported> {
    let imported = nothingImported
    try {
      if (firstLine === 1) {
        await recordAudit(db.write, caller, { event: 'samples_imported' }, clock.now())
      }
      return await importSamples({
        store: samples,
        organizationId: caller.organizationId,
        chunks: pieces(isLast ? text : withEnd(text)),
        clock,
        keepMs: config.samplesRetentionDays * dayMs,
        linesBefore: firstLine - 1,
        flushEvery,
        onProgress: (now) => void (imported = now),
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const importedBefore =
        imported.samples === 1 ? '1 sample before it is' : `${imported.samples} samples before it are`
      const message = `${error.details ?? error.message}; ${importedBefore} imported`
      const explanation = error.kind === 'invalid' ? { problems: [{ field: 'text', message }] } : { details: message }
      throw new AppError(error.kind, error.message, { ...explanation, headers: error.headers, cause: error })
    }
  }

  return {
    async receive(organizationId, read) {
      assertPlace(organizationId)
      arrive(organizationId, 1)
      try {
        return await read()
      } finally {
        arrive(organizationId, -1)
      }
    },
    async importPart(caller, part) {
      const { organizationId } = caller
      assertPlace(organizationId)
      const room = bodyBudget.open(organizationId) // the text stays in memory until it is imported
      try {
        room.growTo(Buffer.byteLength(part.text))
        const imported = await queue.run(organizationId, () => {
          const endCharging = budget.begin(organizationId)
          return importText(caller, part).finally(endCharging)
        })
        return { ...imported, slos: part.isLast ? await restartBackfills(organizationId) : null }
      } finally {
        room.release()
      }
    },
  }
}

function tooMany(): AppError {
  return new AppError('unavailable', 'Too many imports at once', {
    details: `an organization may have ${maxParts} parts that arrive or wait; try again in ${retrySeconds} s`,
    headers: { 'Retry-After': String(retrySeconds), Connection: 'close' },
  })
}

const withEnd = (text: string) => `${text}${text.endsWith('\n') ? '' : '\n'}${endLine}`

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += bytesPerBatch) {
    yield bytes.subarray(from, from + bytesPerBatch)
    await yieldToEventLoop()
  }
}
