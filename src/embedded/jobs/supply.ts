import type { Conversation } from '../../concurrency/conversation.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { Find, Finding, Found } from './messages.ts'

/** Beside the store: gives a worker the series that it asks for, with what only this thread knows of them. */
export async function supply(
  { post, next }: Conversation<Found, Finding>,
  store: Pick<SampleStore, 'find'>,
  organizationId: number,
  wanted: Find,
): Promise<void> {
  const fitting = async (values: string[], matcher: number) => {
    post({ values, matcher })
    const answer = await next()
    return 'fits' in answer ? answer.fits : new Uint8Array()
  }
  for await (const batch of store.find(organizationId, wanted, fitting)) {
    const { ids, counts, timesMs, values } = batch
    post({ batch }, [ids.buffer, counts.buffer, timesMs.buffer, values.buffer])
    if (!batch.isLast) await next()
  }
}
