import type { JobMessages } from '../../concurrency/job-messages.ts'
import type { Matcher } from '../../promql/matchers.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { SelectRequest, SelectProgress, SelectReply, SeriesBatch } from './messages.ts'

/** Series to read: those that all matchers match, with samples in [fromMs, toMs]. */
export type SeriesRead = { matchers: readonly Matcher[]; fromMs: number; toMs: number }

/**
 * On the thread of the store: sends a worker the series it requests, with the samples of their heads, which are only in the memory
 * of this thread. The worker tests label values with its matchers, because regexes take time.
 */
export async function serveSelect(
  { post, next }: JobMessages<SelectReply, unknown>,
  store: Pick<SampleStore, 'find'>,
  organizationId: number,
  request: SelectRequest,
): Promise<void> {
  const testValues = async (values: string[], matcher: number) => {
    post({ values, matcher })
    const answer = (await next()) as SelectProgress
    return 'fits' in answer ? answer.fits : new Uint8Array()
  }
  for await (const batch of store.find(organizationId, request, testValues)) {
    const { ids, counts, timesMs, values } = batch
    post({ batch }, [ids.buffer, counts.buffer, timesMs.buffer, values.buffer])
    if (!batch.isLast) await next()
  }
}

const seriesPerGarbageCollection = 20_000

/**
 * In a worker: requests series and yields them in batches. `assertTime` throws once there is no time for more. Collects
 * garbage every 20,000 series: otherwise the engine keeps the parsed messages of many batches until its heap has doubled.
 */
export async function* requestSelect(
  { post, next }: JobMessages<SelectRequest | SelectProgress, unknown>,
  { matchers, fromMs, toMs }: SeriesRead,
  assertTime: () => void,
): AsyncGenerator<SeriesBatch> {
  const plainMatchers = matchers.map(({ name, operator, value, fits }) => ({
    name,
    operator,
    value,
    fitsEmpty: fits(''),
  }))
  post({ matchers: plainMatchers, fromMs, toMs })
  let uncollected = 0
  for (;;) {
    const found = (await next()) as SelectReply
    if ('batch' in found) {
      yield found.batch
      uncollected += found.batch.ids.length
      if (uncollected >= seriesPerGarbageCollection) {
        Bun.gc(true)
        uncollected = 0
      }
      if (found.batch.isLast) return
      post({ more: true })
      continue
    }
    const fits = new Uint8Array(found.values.length)
    for (const [at, value] of found.values.entries()) {
      assertTime()
      fits[at] = matchers[found.matcher]?.fits(value) ? 1 : 0
    }
    post({ fits })
  }
}
