import { whyNot } from '../../../api/rights.ts'
import type { Choice } from '../../../ui/menu.tsx'
import { askToPause, askToRemove } from './ask.ts'
import { change, type DeletableItem, remove } from './remove.ts'

/** Menu items that pause or resume, and delete. `secrets`: the credentials that are lost on deletion, for the confirmation. */
export function pauseAndDelete(of: DeletableItem, isActive: boolean, secrets: string): Choice[] {
  const { name, list, id, recreateBody } = of
  const unavailable = whyNot('administer')
  const set = (is_active: boolean) => void change(name, list, id, { is_active })
  const lost =
    recreateBody === null
      ? `${secrets} are stored here alone and go with it, so this cannot be undone. Its samples stay.`
      : null
  return [
    {
      label: isActive ? 'Pause' : 'Resume',
      unavailable,
      onChoose: () => (isActive ? void askToPause(of, () => set(false)) : set(true)),
    },
    {
      label: 'Delete',
      icon: 'trash-2',
      unavailable,
      onChoose: () => void askToRemove(of, lost, () => void remove(of)),
    },
  ]
}
