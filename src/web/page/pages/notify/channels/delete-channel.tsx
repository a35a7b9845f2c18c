import { send } from '../../../api/client.ts'
import type { Channel } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { toast } from '../../../ui/toast.ts'
import { plural } from '../../../format.ts'

/** Deletes a channel, which cannot be undone. Throws `ApiError`. */
export async function deleteChannel({ id, name }: Channel): Promise<void> {
  await send('DELETE', `/notifications/channels/${id}`)
  invalidate('/notifications/')
  toast(`${name}: deleted.`)
}

/** Dialog before a channel that is notified of anything is deleted. The user must type its name, since the rules are deleted with it. */
export function DeleteDialog(props: { channel: Channel; ruleCount: number; onClose: () => void }) {
  const { channel, ruleCount, onClose } = props
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => (name.trim() === channel.name ? undefined : { name: 'Type the name as it is shown.' }),
    send: () => deleteChannel(channel),
    next: onClose,
  })
  return (
    <FormDialog of={form} title={`Delete ${channel.name}`} action="Delete" onClose={onClose}>
      <p>{lossOf(channel, ruleCount)} This cannot be undone.</p>
      <TextField label={`Type ${channel.name}`} {...form.field('name')} autofocus />
    </FormDialog>
  )
}

function lossOf({ is_default }: Channel, rules: number): string {
  const every = is_default ? 'This channel is notified of every SLO.' : ''
  if (rules === 0) return every
  const lost = plural(
    rules,
    'A rule notifies through this channel, and is deleted with it.',
    '# rules notify through this channel, and are deleted with it.',
  )
  return `${every} ${lost}`.trim()
}
