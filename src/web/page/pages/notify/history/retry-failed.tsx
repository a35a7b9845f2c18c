import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { ranges } from './filter.ts'
import { retriedWords, retryFailedLabel } from './words.ts'

type Retried = { retried: number; skipped: number }

const maxAgeDays = 31 // of the API, for `max_age_seconds`

/** Queues all failed notifications of the chosen period again; for any time, those of the longest period that the API takes. */
export function RetryFailed({ range }: { range: string }) {
  const max_age_seconds = ranges.find(([known]) => known === range)?.[2] ?? maxAgeDays * 86_400
  const { run, isBusy } = useAction(
    () => send<{ data: Retried }>('POST', '/notifications/retry-failed', { body: { max_age_seconds } }),
    { done: ({ data }) => retriedWords(data), failed: 'Not sent again.', ended: () => invalidate('/notifications/') },
  )
  return (
    <Button small icon="refresh-cw" unavailable={whyNot('edit')} isBusy={isBusy} onClick={run}>
      {retryFailedLabel(range, maxAgeDays)}
    </Button>
  )
}
