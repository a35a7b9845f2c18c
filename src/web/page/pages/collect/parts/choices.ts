import { whyNot } from '../../../api/rights.ts'
import type { Choice } from '../../../ui/menu.tsx'
import { confirmFirst } from './confirm.tsx'
import { change, type DeletableItem, remove } from './remove.ts'

/** Menu items that pause or resume, and delete. `secrets`: the credentials that are lost on deletion, for the confirmation. */
export function pauseAndDelete(of: DeletableItem, isActive: boolean, secrets: string): Choice[] {
  const { name, list, id, recreateBody } = of
  const unavailable = whyNot('administer')
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
        if (recreateBody !== null) return void remove(of)
        confirmFirst({
          title: `Delete ${name}?`,
          text: `${secrets} are stored here alone and go with it, so this cannot be undone. Its samples stay.`,
          onYes: () => void remove(of),
        })
      },
    },
  ]
}
