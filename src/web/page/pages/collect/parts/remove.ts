import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { attempt } from '../../../ui/action.ts'
import { reasonAfter } from './trouble.ts'
import { deletedWithCredentialsText } from './words.ts'
import { deletedText, notChangedText, notDeletedText, notRestoredText } from '../../../ui/named-words.ts'

export type DeletableItem = {
  name: string
  /** Path of its list in the API; its own path is `list/id`. */
  list: string
  id: number
  /** Request body that creates it again; null if it has secrets, which only the server has. */
  recreateBody: object | null
}

/** Deletes a source, target or probe. This can be undone, unless it has secrets. */
export async function remove({ name, list, id, recreateBody }: DeletableItem): Promise<void> {
  const isFinal = recreateBody === null
  const restore = () => sendTo(list, 'POST', list, recreateBody)
  await attempt(() => sendTo(list, 'DELETE', `${list}/${id}`, null), {
    done: isFinal ? deletedWithCredentialsText(name) : deletedText(name),
    undo: isFinal ? undefined : () => attempt(restore, { failed: reasonAfter(notRestoredText(name)) }),
    failed: reasonAfter(notDeletedText(name)),
  })
}

/** Changes a source, target or probe, and shows the error if that fails. */
export async function change(name: string, list: string, id: number, body: object): Promise<void> {
  await attempt(() => sendTo(list, 'PUT', `${list}/${id}`, body), { failed: reasonAfter(notChangedText(name)) })
}

async function sendTo(list: string, method: string, path: string, body: object | null): Promise<void> {
  await send(method, path, body ? { body } : {})
  invalidate(list)
}
