import { send } from '../../api/client.ts'
import { sentenceOf } from '../../api/problems.ts'
import { invalidate } from '../../api/resource.ts'
import type { Slo, Suggestion } from '../../api/types.ts'
import { toast } from '../../ui/toast.ts'

/**
 * Creates the SLO of a suggestion, with an undo for ten seconds, and gives its id. If that fails, shows the error and gives
 * undefined.
 */
export async function createSuggested({ slo }: Suggestion, onUndone: () => void): Promise<number | undefined> {
  try {
    const { id } = await send<Slo>('POST', '/slos', { body: slo })
    changed()
    toast(`${slo.name} is created.`, { undo: () => void undo(id, onUndone) })
    return id
  } catch (error) {
    toast(sentenceOf(error), { isProblem: true })
    return undefined
  }
}

async function undo(id: number, onUndone: () => void): Promise<void> {
  try {
    await send('DELETE', `/slos/${id}`)
    changed()
    onUndone()
  } catch (error) {
    toast(sentenceOf(error), { isProblem: true })
  }
}

function changed(): void {
  invalidate('/slos')
  invalidate('/tsdb/sources')
}
