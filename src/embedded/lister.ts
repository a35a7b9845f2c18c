import type { AskWorker } from './jobs/ask-worker.ts'
import type { FromList, ListJob, ToList } from './jobs/messages.ts'
import type { QueryLimits } from './query-limits.ts'
import type { SampleStore } from './store/sample-store.ts'
import { serveSelect } from './jobs/find.ts'

/** Request for a list. `name`: label whose values are listed. No selectors: all series. */
type Listing = Pick<ListJob, 'list' | 'selectors'> & { name?: string; limit?: number }

/**
 * Lists series, label names or label values of one organization, as pieces of JSON. Throws `invalid`, `too_large`, `too_slow`.
 */
export type Lister = (organizationId: number, listing: Listing, signal?: AbortSignal) => Promise<string[]>

type Options = {
  store: Pick<SampleStore, 'filled' | 'find' | 'labelNames' | 'labelValues'>
  ask: AskWorker
  timeoutMs: number
  limits: QueryLimits
}

const textsPerBatch = 1000

export function createLister({ store, ask, timeoutMs, limits }: Options): Lister {
  return (organizationId, { list, selectors, name = '', limit = 0 }, signal) =>
    ask<ToList, FromList, string[]>(
      'list',
      async (talk, leftMs) => {
        await store.filled()
        const all = list === 'names' ? store.labelNames(organizationId) : store.labelValues(organizationId, name)
        const texts = all[Symbol.iterator]()
        const pieces: string[] = []
        talk.post({ list, name, selectors, limit, leftMs, maxCharacters: limits.points * 16 })
        for (;;) {
          const message = await talk.next()
          if ('find' in message) await serveSelect(talk, store, organizationId, message)
          else if ('all' in message) {
            const some: string[] = []
            for (let next = texts.next(); next.done !== true; next = texts.next()) {
              some.push(next.value)
              if (some.length === textsPerBatch) break
            }
            talk.post({ texts: some, isLast: some.length < textsPerBatch })
          } else if ('piece' in message) pieces.push(message.piece)
          else if ('end' in message) return pieces
        }
      },
      { organizationId, timeoutMs, ...(signal && { signal }) },
    )
}
