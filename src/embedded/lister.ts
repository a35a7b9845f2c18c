import type { JobRunner } from './jobs/job-runner.ts'
import type { FromList, ListJob, ToList } from './jobs/messages.ts'
import type { QueryLimits } from './query-limits.ts'
import type { SampleStore } from './store/sample-store.ts'
import { serveSelect } from './jobs/find.ts'

/** `name`: label whose values are listed. `selectors`: none means all series; a list of series needs one. `limit`: maximum length; 0 or absent: no limit. */
type ListRequest = Pick<ListJob, 'list' | 'selectors'> & { name?: string; limit?: number }

/**
 * Lists series, label names or label values of one organization. The pieces, joined, are a sorted JSON array, and after it
 * `,"warnings":[…]` if `limit` cut it. Throws `invalid`, `too_large` and `too_slow`, and as `JobRunner` does.
 */
export type Lister = (organizationId: number, request: ListRequest, signal?: AbortSignal) => Promise<string[]>

type Options = {
  store: Pick<SampleStore, 'whenFilled' | 'find' | 'labelNames' | 'labelValues'>
  runJob: JobRunner
  timeoutMs: number
  limits: QueryLimits
}

const textsPerBatch = 1000

export function createLister({ store, runJob, timeoutMs, limits }: Options): Lister {
  return (organizationId, { list, selectors, name = '', limit = 0 }, signal) =>
    runJob<ToList, FromList, string[]>(
      'list',
      async (messages, leftMs) => {
        await store.whenFilled()
        const allTexts = list === 'names' ? store.labelNames(organizationId) : store.labelValues(organizationId, name)
        const remaining = allTexts[Symbol.iterator]()
        const pieces: string[] = []
        const maxCharacters = limits.points * 16 // as much memory as the points of an answer
        messages.post({ list, name, selectors, limit, leftMs, maxCharacters })
        for (;;) {
          const message = await messages.next()
          if ('matchers' in message) await serveSelect(messages, store, organizationId, message)
          else if ('all' in message) {
            const texts: string[] = []
            for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
              texts.push(next.value)
              if (texts.length === textsPerBatch) break
            }
            messages.post({ texts, isLast: texts.length < textsPerBatch })
          } else if ('piece' in message) pieces.push(message.piece)
          else if ('end' in message) return pieces
        }
      },
      { organizationId, timeoutMs, ...(signal && { signal }) },
    )
}
