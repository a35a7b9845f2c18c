import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Config } from '../../config.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { type Imported, importSamples, nothingImported } from '../import-samples.ts'
import type { SampleStore } from '../store/sample-store.ts'

/** A part of a file of OpenMetrics, which ends where a line does. Only the last one ends in `# EOF`. */
type Part = { text: string; firstLine: number; isLast: boolean }

type Deps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'samplesRetentionDays'>
  samples: SampleStore
  /**
   * Makes the SLOs over the embedded source ask for their past again, and drops cached answers; gives how many SLOs those
   * are, null where there is no such source.
   */
  reopenPast: (organizationId: number) => Promise<number | null>
}

/** `slos`: how many ask for their past again; null before the last part, and where no source is the embedded one. */
export type PartImported = Imported & { slos: number | null }

const dayMs = 86_400_000
const bytesAtOnce = 32 * 1024 // parsed in a millisecond or two
const end = '# EOF\n'

/**
 * Imports the parts of files while nines runs, one part at a time. Throws `invalid` for a line that is none, which it names;
 * what comes before that line stays.
 */
export function createImports({ db, clock, config, samples, reopenPast }: Deps) {
  const queue = createFairQueue<number>({ max: 1, maxOfGroup: 1 })

  return async (caller: Caller, { text, firstLine, isLast }: Part): Promise<PartImported> => {
    const { organizationId } = caller
    const leave = await queue.enter(organizationId)
    let imported = nothingImported
    try {
      if (firstLine === 1) {
        await recordAudit(db.write, caller, { event: 'samples_imported' }, clock.now())
      }
      await importSamples({
        store: samples,
        organizationId,
        chunks: pieces(isLast ? text : withEnd(text)),
        clock,
        keepMs: config.samplesRetentionDays * dayMs,
        linesBefore: firstLine - 1,
        onProgress: (now) => void (imported = now),
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const before = imported.samples === 1 ? '1 sample before it is' : `${imported.samples} samples before it are`
      const message = `${error.details ?? error.message}; ${before} imported`
      const what = error.kind === 'invalid' ? { problems: [{ field: 'text', message }] } : { details: message }
      throw new AppError(error.kind, error.message, { ...what, headers: error.headers, cause: error })
    } finally {
      leave()
    }
    if (!isLast) return { ...imported, slos: null }
    return { ...imported, slos: await reopenPast(organizationId) }
  }
}

const withEnd = (text: string) => `${text}${text.endsWith('\n') ? '' : '\n'}${end}`

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += bytesAtOnce) {
    yield bytes.subarray(from, from + bytesAtOnce)
    await nextTurn()
  }
}
