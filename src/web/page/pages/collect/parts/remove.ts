import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { toast } from '../../../ui/toast.tsx'
import { textOf } from './trouble.ts'

export type Removed = {
  name: string
  /** The path of its list; its own is below it. */
  list: string
  id: number
  /** A body that makes the same again; null where the server alone has its secrets. */
  again: object | null
}

/** Deletes something that is collected, which can be undone unless its secrets went with it. */
export async function remove({ name, list, id, again }: Removed): Promise<void> {
  try {
    await send('DELETE', `${list}/${id}`)
  } catch (error) {
    return toast(`${name}: not deleted. ${textOf(error)}`, { isProblem: true })
  }
  invalidate(list)
  if (again === null) return toast(`${name}: deleted, with its credentials.`)
  toast(`${name}: deleted.`, {
    undo: async () => {
      try {
        await send('POST', list, { body: again })
        invalidate(list)
      } catch (error) {
        toast(`${name}: not restored. ${textOf(error)}`, { isProblem: true })
      }
    },
  })
}

/** Changes something that is collected, and says why it could not be changed. */
export async function change(name: string, list: string, id: number, body: object): Promise<void> {
  try {
    await send('PUT', `${list}/${id}`, { body })
    invalidate(list)
  } catch (error) {
    toast(`${name}: not changed. ${textOf(error)}`, { isProblem: true })
  }
}
