import { send } from '../../api/client.ts'
import type { SloIncident } from '../../api/history.ts'
import { reread } from '../../incidents/acknowledge-requests.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { useAction } from '../../ui/action.ts'
import { closedText, closeSentences } from './words.ts'

type Props = { incident: Pick<SloIncident, 'id' | 'slo_name' | 'state' | 'recovered_at'>; onClose: () => void }

/** Dialog that says what closing an incident by hand means, and closes it. */
export function CloseByHand({ incident: { id, slo_name, recovered_at }, onClose }: Props) {
  const closing = useAction(() => send('POST', `/incidents/${id}/close`).then(reread), {
    done: closedText(slo_name),
    next: onClose,
  })
  return (
    <FormDialog of={closing} title="Close the incident" action="Close the incident" onClose={onClose}>
      <p>{closeSentences(recovered_at !== null)}</p>
    </FormDialog>
  )
}
