import type { Slo } from '../api/types.ts'
import { labelText } from './send.ts'
import { Icon } from '../ui/icon.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { silencedWords } from './words.ts'

/** End, author and reason of a silence. */
export function SilenceNote({
  silence: { until, comment, labels, created_by_name: by },
}: {
  silence: NonNullable<Slo['silence']>
}) {
  const untilMs = Date.parse(until)
  const isOver = useNow((atMs) => untilMs <= atMs, [untilMs])
  if (isOver.value) return null
  return (
    <p class="silence-note with-icon muted">
      <Icon name="bell-off" size={14} />
      <span>{silencedWords(<Time ms={untilMs} />, { by, labels: labels && labelText(labels), comment })}</span>
    </p>
  )
}
