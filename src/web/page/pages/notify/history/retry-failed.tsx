import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { ranges } from './filter.ts'
import { retriedWords } from './words.ts'

type Retried = { retried: number; skipped: number }

/** Maximum of the API for `max_age_seconds`: 31 days. */
const maxAgeSeconds = 31 * 86_400

/** Queues all failed notifications of the chosen period again. */
export function RetryFailed({ range }: { range: string }) {
  const max_age_seconds = ranges.find(([known]) => known === range)?.[2] ?? maxAgeSeconds
  const { run, isBusy } = useAction(
    () => send<{ data: Retried }>('POST', '/notifications/retry-failed', { body: { max_age_seconds } }),
    { done: ({ data }) => retriedWords(data), failed: 'Not sent again.', ended: () => invalidate('/notifications/') },
  )
  return (
    <Button small icon="refresh-cw" unavailable={whyNot('edit')} isBusy={isBusy} onClick={run}>
      Send all again
    </Button>
  )
}
