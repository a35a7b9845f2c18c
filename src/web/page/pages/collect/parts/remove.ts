import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { toast } from '../../../ui/toast.ts'
import { textOf } from './trouble.ts'

export type DeletableItem = {
  name: string
  /** Path of its list in the API; its own path is below. */
  list: string
  id: number
  /** Request body that creates it again; null if it has secrets, which only the server has. */
  recreateBody: object | null
}

/** Deletes a source, target or probe. This can be undone, unless it has secrets. */
export async function remove({ name, list, id, recreateBody }: DeletableItem): Promise<void> {
  try {
    await send('DELETE', `${list}/${id}`)
  } catch (error) {
    return toast(`${name}: not deleted. ${textOf(error)}`, { isProblem: true })
  }
  invalidate(list)
  if (recreateBody === null) return toast(`${name}: deleted, with its credentials.`)
  toast(`${name}: deleted.`, {
    undo: async () => {
      try {
        await send('POST', list, { body: recreateBody })
        invalidate(list)
      } catch (error) {
        toast(`${name}: not restored. ${textOf(error)}`, { isProblem: true })
      }
    },
  })
}

/** Changes a source, target or probe, and shows the error if that fails. */
export async function change(name: string, list: string, id: number, body: object): Promise<void> {
  try {
    await send('PUT', `${list}/${id}`, { body })
    invalidate(list)
  } catch (error) {
    toast(`${name}: not changed. ${textOf(error)}`, { isProblem: true })
  }
}
