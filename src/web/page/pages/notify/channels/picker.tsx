import { useCallback } from 'preact/hooks'
import { Combobox, type Option } from '../../../ui/combobox.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { products } from './products.ts'

/** Dialog to choose the product of a new channel by name. */
export function Picker({ onChoose, onClose }: { onChoose: (product: string) => void; onClose: () => void }) {
  const find = useCallback(
    (text: string) => {
      const typed = text.trim().toLowerCase()
      const options = products
        .filter(({ name }) => name.toLowerCase().includes(typed))
        .map((product): Option => ({
          key: product.id,
          group: 'Where do notifications go?',
          label: product.name,
          icon: <Icon name={iconOf(product.type)} />,
          onChoose: () => onChoose(product.id),
        }))
      return { options, more: 0 }
    },
    [onChoose],
  )
  return (
    <Dialog label="New channel" class="palette" onClose={onClose}>
      <Combobox
        label="New channel"
        placeholder="Slack, e-mail, webhook…"
        find={find}
        nothing="Nothing is called that. Most services take a webhook."
      />
    </Dialog>
  )
}

/** Icon of a channel type of the API. */
export function iconOf(type: string) {
  if (type === 'email') return 'mail'
  if (type === 'pagerduty' || type === 'opsgenie') return 'siren'
  return type === 'webhook' ? 'link' : 'bell'
}
