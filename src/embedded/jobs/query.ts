import type { JobMessages } from '../../concurrency/job-messages.ts'
import { stopwatch } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { createBudget, tooSlow } from '../promql/budget.ts'
import { evaluateInstant, evaluateRange, type Result } from '../promql/query.ts'
import type { SampleReader, Series } from '../promql/reader.ts'
import { fileReader } from '../store/file-reader.ts'
import type { FromQuery, QueryJob, ToQuery } from './messages.ts'
import { endOf, pointBatches } from './point-batches.ts'
import { requestSelect, type SeriesRead } from './find.ts'

/**
 * In a worker: evaluates a query. The first attempt has no samples and only notes which samples it needs; these are read, and the
 * query is evaluated again until none is missing.
 */
export async function answerQuery(messages: JobMessages<FromQuery, ToQuery>): Promise<void> {
  const job = (await messages.next()) as QueryJob
  const endMs = stopwatch.now() + job.leftMs
  const expired = () => stopwatch.now() > endMs
  const [ordinary, large] = job.maxSamples
  let maxSamples = ordinary
  const limits = () => ({ maxSamples, maxSeries: job.maxSeries, maxPoints: job.maxPoints, expired })
  const gathered = new Map<string, Series[]>()
  const byTimes = new Map<string, Map<number, Series>>() // the good and the total query of an SLO share series
  const file = fileReader(job.file)

  async function gather(reads: SeriesRead[]) {
    const budget = createBudget(limits())
    for (const series of gathered.values()) for (const { values } of series) budget.addSamples(values.length)
    for (const read of reads) {
      const found: Series[] = []
      const known = byTimes.getOrInsertComputed(`${read.fromMs} ${read.toMs}`, () => new Map())
      for await (const batch of requestSelect(messages, read, () => budget.addSeries(0)))
        for (const series of file.read(batch, read.fromMs, read.toMs, known)) {
          budget.addSeries(1)
          budget.addSamples(series.values.length)
          found.push(series)
        }
      gathered.set(keyOfRead(read), found)
    }
  }

  /** Null if samples were missing, which have been read by then. */
  async function attempt(): Promise<Result | null> {
    const missing = new Map<string, SeriesRead>()
    const select: SampleReader['select'] = (matchers, fromMs, toMs) => {
      const read = { matchers, fromMs, toMs }
      const key = keyOfRead(read)
      const found = gathered.get(key)
      if (!found) missing.set(key, read)
      return found ?? []
    }
    try {
      const result = evaluate({ select }, job, limits())
      if (missing.size === 0) return result
    } catch (error) {
      const saysNothing = error instanceof AppError && error.kind === 'source_refused' && missing.size > 0
      if (!saysNothing) throw error // an error about the data means nothing while samples are missing
    }
    await gather([...missing.values()])
    return null
  }

  for (;;) {
    try {
      const result = await attempt()
      if (!result) continue
      for (const points of pointBatches(result, job.answeredSeries))
        messages.post({ points }, [points.counts.buffer, points.timesMs.buffer, points.values.buffer])
      messages.post({ end: endOf(result) })
      return
    } catch (error) {
      const damaged = file.damaged()
      if (damaged.length > 0) messages.post({ damaged })
      const mayGrow = error instanceof AppError && error.kind === 'too_large' && maxSamples < large
      if (!mayGrow) throw error
      gathered.clear()
      byTimes.clear()
      messages.post({ large: true })
      await messages.next()
      if (expired()) throw tooSlow()
      maxSamples = large
    }
  }
}

function evaluate(
  reader: SampleReader,
  { query, at, lookbackMs }: QueryJob,
  limits: Parameters<typeof createBudget>[0],
) {
  const options = { limits, ...(lookbackMs !== null && { lookbackMs }) }
  if ('timeMs' in at) return evaluateInstant(reader, query, at.timeMs, options)
  return evaluateRange(reader, query, at, options)
}

/** Key that is equal for reads with the same result. */
function keyOfRead({ matchers, fromMs, toMs }: SeriesRead): string {
  return JSON.stringify([fromMs, toMs, matchers.map(({ name, operator, value }) => [name, operator, value])])
}
