import { inChunks } from '../../concurrency/chunks.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { AppError } from '../../errors.ts'
import { createSemaphore, createWhileOpen } from '../../concurrency/semaphore.ts'
import type { Log } from '../../log.ts'
import { windowSeconds } from '../../slos/arithmetic/windows.ts'
import { createQuerySession, executionOf, mean, readInstant } from '../ask.ts'
import { fillPlaceholders } from '../../promql/analysis/placeholders.ts'
import { type InstantData, silentSource, type Source, type SourceOpener } from '../source.ts'
import { type DueQueries, type DueQuery, findDueQuery, listDueQueries, type QueryRun, recordRuns } from './store.ts'
import { openSource } from '../store.ts'

export type SourceQueryRuns = {
  /**
   * Runs the stored queries that are due, and resolves when all of them have ended. A source that is still queried by an
   * earlier call is left to that one, and none waits for another.
   */
  runDue(): Promise<void>
  /** Once `isClosing`: resolves when nothing will be read or written any more, however long sources still take. */
  drain(): Promise<void>
}

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  log: Log
  /** Queries at once per source. */
  concurrency: number
  isClosing: () => boolean
}

/** Few enough that what a slow source has answered is soon written. */
const queriesAtOnce = 32

export function createSourceQueryRuns(deps: Deps): SourceQueryRuns {
  const { db, clock, isClosing } = deps
  const busy = new Set<string>()
  const whileOpen = createWhileOpen(isClosing)

  /** Read when its turn comes: until then a query, or its SLO, may be changed or deleted. */
  async function runDueOne(due: DueQueries, id: number): Promise<QueryRun[]> {
    const found = await whileOpen.run(async () => {
      const query = await findDueQuery(db.read, due, id, clock.now())
      if (!query) return undefined
      const opening = openSource(deps, due.organizationId, due.sourceId)
      return { query, source: await opening.catch((error: unknown) => silentSource('', error)) }
    })
    return found ? [await runOne(deps, found.source, found.query)] : []
  }

  async function runQueries(due: DueQueries): Promise<void> {
    const semaphore = createSemaphore(deps.concurrency)
    for (const ids of inChunks(due.queryIds, queriesAtOnce)) {
      const runs = (await Promise.all(ids.map((id) => semaphore.run(() => runDueOne(due, id))))).flat()
      if (isClosing()) return
      if (runs.length > 0) await whileOpen.run(() => db.write.transaction().execute((trx) => recordRuns(trx, runs)))
    }
  }

  return {
    async runDue() {
      const due = (await whileOpen.run(() => listDueQueries(db.read, clock.now()))) ?? []
      await Promise.all(
        due.map(async (queries) => {
          const source = `${queries.organizationId} ${queries.sourceId}`
          if (busy.has(source)) return
          busy.add(source)
          await runQueries(queries).finally(() => busy.delete(source))
        }),
      )
    },
    drain: whileOpen.drain,
  }
}

async function runOne({ clock, log }: Pick<Deps, 'clock' | 'log'>, source: Source, query: DueQuery): Promise<QueryRun> {
  const session = createQuerySession({ source, clock })
  const expression = fillPlaceholders(query.source_query, windowSeconds(query.time_window))
  const value = await session
    .over(query.time_window)
    .instant('query', expression, Math.floor(clock.now() / 1000))
    .then(valueOf, (error: unknown) => {
      if (!(error instanceof AppError)) log.error('stored query failed', { query_id: query.id, error })
      return null
    })
  const [sent] = session.sent
  if (!sent) throw new Error('a session records what is sent')
  const nowMs = clock.now()
  const execution = executionOf(sent, {
    organizationId: query.organization_id,
    sloId: query.slo_id,
    queryId: query.id,
    sourceName: source.name,
    method: expression === query.source_query ? 'as_stored' : 'placeholder',
    nowMs,
  })
  return { query, execution, value: session.partial ? null : value, nextRunAt: nextOnGrid(query, nowMs) }
}

/** As the SLI of an SLO is read, in the unit of the query. */
function valueOf(data: InstantData): number | null {
  const reading = readInstant(data)
  return reading.kind === 'numbers' ? mean(reading.values) : null
}

/** A whole number of intervals after it was due: what was missed is not made up for. */
function nextOnGrid({ next_run_at: dueMs, evaluation_interval_seconds: seconds }: DueQuery, nowMs: number): number {
  const intervalMs = seconds * 1000
  return dueMs + (Math.floor((nowMs - dueMs) / intervalMs) + 1) * intervalMs
}
