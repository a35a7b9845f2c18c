import type { Choice } from '../../../ui/menu.tsx'
import { confirmFirst } from './confirm.tsx'
import { change, type Removed, remove } from './remove.ts'
import { unlessAdmin } from './rights.ts'

/** To pause something that is collected, or go on, and to delete it. `secrets`: what of it is stored nowhere else. */
export function pauseAndDelete(of: Removed, isActive: boolean, secrets: string): Choice[] {
  const { name, list, id, again } = of
  const unavailable = unlessAdmin()
  return [
    {
      label: isActive ? 'Pause' : 'Resume',
      unavailable,
      onChoose: () => void change(name, list, id, { is_active: !isActive }),
    },
    {
      label: 'Delete',
      icon: 'trash-2',
      unavailable,
      onChoose: () => {
        if (again !== null) return void remove(of)
        confirmFirst({
          title: `Delete ${name}?`,
          text: `${secrets} are stored here alone and go with it, so this cannot be undone. Its samples stay.`,
          onYes: () => void remove(of),
        })
      },
    },
  ]
}
