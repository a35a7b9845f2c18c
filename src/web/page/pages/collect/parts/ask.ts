import { send } from '../../../api/client.ts'
import { attempt } from '../../../ui/action.ts'
import type { ReadingSlos } from '../types.ts'
import { confirmFirst } from './confirm.tsx'
import { deleteQuestion, pauseQuestion, slosNotReadText, stopWords } from './words.ts'

/** `list`: path of its list in the API. */
type Item = { name: string; list: string; id: number }

/** Reads the SLOs that read an item; undefined, with a message, if that fails. */
async function readSlos({ name, list, id }: Item): Promise<ReadingSlos['slos'] | undefined> {
  const read = () => send<ReadingSlos>('GET', `${list}/${id}/slos`)
  const outcome = await attempt(read, { failed: slosNotReadText(name) })
  return 'result' in outcome ? outcome.result.slos : undefined
}

/** Pauses an item with `onYes`, after a confirmation that names the SLOs if some read it. */
export async function askToPause(of: Item, onYes: () => void): Promise<void> {
  const slos = await readSlos(of)
  if (!slos) return
  if (slos.length === 0) onYes()
  else confirmFirst({ title: pauseQuestion(of.name), text: stopWords(slos), action: 'Pause', onYes })
}

/**
 * Deletes an item with `onYes`, after a confirmation that names the SLOs that read it. `lost`: sentence on what cannot be brought back;
 * null: all can, and without SLOs it is deleted without a confirmation.
 */
export async function askToRemove(of: Item, lost: string | null, onYes: () => void): Promise<void> {
  const slos = await readSlos(of)
  if (!slos) return
  if (slos.length === 0 && lost === null) return onYes()
  const text = lost === null ? stopWords(slos) : `${stopWords(slos)} ${lost}`
  confirmFirst({ title: deleteQuestion(of.name), text, onYes })
}
