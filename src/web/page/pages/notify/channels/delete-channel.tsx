import { send } from '../../../api/client.ts'
import type { Channel } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { toast } from '../../../ui/toast.ts'
import { lossSentences, typeLabel } from './words.ts'
import { deletedText, deleteLabel } from '../../../ui/named-words.ts'

/** Deletes a channel, which cannot be undone. Throws `ApiError`. */
export async function deleteChannel({ id, name }: Channel): Promise<void> {
  await send('DELETE', `/notifications/channels/${id}`)
  invalidate('/notifications/')
  toast(deletedText(name))
}

/** Dialog that asks before it deletes a channel that may be in use. The user must type its name, since its rules are deleted too. */
export function DeleteDialog(props: { channel: Channel; ruleCount: number; onClose: () => void }) {
  const { channel, ruleCount, onClose } = props
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => (name.trim() === channel.name ? undefined : { name: 'Type the name as it is shown.' }),
    send: () => deleteChannel(channel),
    next: onClose,
  })
  return (
    <FormDialog of={form} title={deleteLabel(channel.name)} action="Delete" onClose={onClose}>
      <p>{lossSentences(channel.is_default, ruleCount)}</p>
      <TextField label={typeLabel(channel.name)} {...form.field('name')} autofocus />
    </FormDialog>
  )
}
