import type { Conversation } from '../../concurrency/conversation.ts'
import type { Matcher } from '../../promql/matchers.ts'
import type { Find, Finding, Found, SeriesBatch } from './messages.ts'

type Wanted = { matchers: readonly Matcher[]; fromMs: number; toMs: number }

/** In a worker: asks for series, and gives each batch of them; `look` throws once there is no time for more. */
export async function* gather(
  { post, next }: Conversation<Find | Finding, Found>,
  { matchers, fromMs, toMs }: Wanted,
  look: () => void,
): AsyncGenerator<SeriesBatch> {
  const find = matchers.map(({ name, operator, value, fits }) => ({ name, operator, value, fitsEmpty: fits('') }))
  post({ find, fromMs, toMs })
  for (;;) {
    const found = await next()
    if ('batch' in found) {
      yield found.batch
      if (found.batch.isLast) return
      post({ more: true })
      continue
    }
    const fits = new Uint8Array(found.values.length)
    for (const [at, value] of found.values.entries()) {
      look()
      fits[at] = matchers[found.matcher]?.fits(value) ? 1 : 0
    }
    post({ fits })
  }
}
