import { inChunks } from '../../concurrency/chunks.ts'
import { type Clock, minuteStartSeconds } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { AppError } from '../../errors.ts'
import { createSemaphore, createWhileOpen } from '../../concurrency/semaphore.ts'
import type { Log } from '../../log.ts'
import { ownWindow } from '../../slos/arithmetic/own-window.ts'
import { createQuerySession, executionOf, mean, readInstantNumbers } from '../query-session.ts'
import { fillPlaceholders } from '../../promql/analysis/placeholders.ts'
import { type InstantData, failingSource, type Source, type SourceOpener } from '../source.ts'
import { type DueQueries, type DueQuery, findDueQuery, listDueQueries, type QueryRun, recordRuns } from './store.ts'
import { openSource } from '../store.ts'

export type SourceQueryRuns = {
  /**
   * Runs the stored queries that are due, and resolves when all have ended. Skips a source that an earlier call still queries;
   * no source waits for another.
   */
  runDue(): Promise<void>
  /** To be called once `isClosing`: resolves when nothing will be read or written any more, however long sources still take. */
  drain(): Promise<void>
}

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  log: Log
  /** Concurrent queries per source. */
  concurrency: number
  isClosing: () => boolean
}

/** Queries whose results are written together: few enough that the answers of a slow source are written soon. */
const batchSize = 32

export function createSourceQueryRuns(deps: Deps): SourceQueryRuns {
  const { db, clock, isClosing } = deps
  const busySources = new Set<string>()
  const whileOpen = createWhileOpen(isClosing)

  /** Runs a due query. It is read only now, because it or its SLO may have been changed or deleted while it waited. */
  async function runDueOne(due: DueQueries, id: number): Promise<QueryRun[]> {
    const opened = await whileOpen.run(async () => {
      const query = await findDueQuery(db.read, due, id, clock.now())
      if (!query) return undefined
      const opening = openSource(deps, due.organizationId, due.sourceId)
      return { query, source: await opening.catch((error: unknown) => failingSource('', error)) }
    })
    return opened ? [await runOne(deps, opened.source, opened.query)] : []
  }

  async function runQueries(due: DueQueries): Promise<void> {
    const semaphore = createSemaphore(deps.concurrency)
    for (const ids of inChunks(due.queryIds, batchSize)) {
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
          if (busySources.has(source)) return
          busySources.add(source)
          await runQueries(queries).finally(() => busySources.delete(source))
        }),
      )
    },
    drain: whileOpen.drain,
  }
}

async function runOne({ clock, log }: Pick<Deps, 'clock' | 'log'>, source: Source, query: DueQuery): Promise<QueryRun> {
  const session = createQuerySession({ source, clock })
  const own = ownWindow(query, minuteStartSeconds(clock.now()))
  const expression = fillPlaceholders(query.source_query, own.seconds)
  const value = await session
    .over(own.name)
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
  return { query, execution, value: session.isPartial ? null : value, nextRunAt: nextOnGrid(query, nowMs) }
}

/** Value of an answer, read like an SLI, in the unit of the query; null if there is no number. */
function valueOf(data: InstantData): number | null {
  const reading = readInstantNumbers(data)
  return reading.kind === 'numbers' ? mean(reading.values) : null
}

/** Time of the next run, a whole number of intervals after the query was due; missed runs are not made up for. */
function nextOnGrid({ next_run_at: dueMs, evaluation_interval_seconds: seconds }: DueQuery, nowMs: number): number {
  const intervalMs = seconds * 1000
  return dueMs + (Math.floor((nowMs - dueMs) / intervalMs) + 1) * intervalMs
}
