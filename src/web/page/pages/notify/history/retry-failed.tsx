import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { sentenceOf } from '../../../api/problems.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { formatNumber } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { toast } from '../../../ui/toast.ts'
import { ranges } from './filter.ts'

/** Maximum of the API: 31 days. */
const longestSeconds = 31 * 86_400

/** Queues all failed notifications of the chosen period again. */
export function RetryFailed({ range }: { range: string }) {
  const [isBusy, setBusy] = useState(false)
  const retry = async () => {
    setBusy(true)
    const max_age_seconds = ranges.find(([known]) => known === range)?.[2] ?? longestSeconds
    try {
      const { data } = await send<{ data: { retried: number; skipped: number } }>(
        'POST',
        '/notifications/retry-failed',
        {
          body: { max_age_seconds },
        },
      )
      toast(saidOf(data))
    } catch (error) {
      toast(`Not sent again. ${sentenceOf(error)}`, { isProblem: true })
    }
    setBusy(false)
    invalidate('/notifications/')
  }
  return (
    <Button small icon="refresh-cw" unavailable={whyNot('edit')} isBusy={isBusy} onClick={retry}>
      Send all again
    </Button>
  )
}

function saidOf({ retried, skipped }: { retried: number; skipped: number }): string {
  const queued = retried === 1 ? '1 notification is queued again.' : `${formatNumber(retried)} are queued again.`
  return skipped === 0 ? queued : `${queued} ${formatNumber(skipped)} skipped: their channel is gone or switched off.`
}
