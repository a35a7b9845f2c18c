import { send } from '../../../api/client.ts'
import { sentenceOf } from '../../../api/problems.ts'
import { invalidate } from '../../../api/resource.ts'
import type { Slo } from '../../../api/types.ts'
import { toast } from '../../../ui/toast.tsx'
import { changedSince, type Request } from './save.ts'

/** Shows that an SLO was saved, with a button that puts back what the edit changed, unless somebody has changed the SLO since. */
export async function offerUndo(id: number, requests: readonly Request[]): Promise<void> {
  if (requests.length === 0) return
  const saved = await send<Slo>('GET', `/slos/${id}`).catch(() => null)
  if (saved) toast(`${saved.name}: saved.`, { undo: () => void undo(saved, requests) })
}

async function undo(saved: Slo, requests: readonly Request[]): Promise<void> {
  try {
    const since = await changedSince(saved)
    if (since) {
      const text = `${saved.name}: not undone. ${since.by ?? 'Somebody'} has changed it since.`
      return toast(text, { isProblem: true })
    }
    for (const { path, body } of requests) await send('PUT', path, { body })
    toast(`${saved.name}: as before.`)
  } catch (error) {
    toast(`${saved.name}: not undone. ${sentenceOf(error)}`, { isProblem: true })
  }
  for (const path of ['/slos', '/notifications/rules']) invalidate(path)
}
