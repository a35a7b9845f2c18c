import type { TemplatePreview } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import { Skeleton } from '../../../ui/read.tsx'
import { Time } from '../../../ui/time.tsx'

/**
 * Preview of the texts with the data used, filled in by the server. The previous preview stays visible, dimmed, until the next
 * arrives.
 */
export function TemplatePreviewPane({ of, isReading }: { of: TemplatePreview | null; isReading: boolean }) {
  return (
    <section class="card section template-preview" aria-label="Preview" aria-busy={isReading}>
      <h2>As it arrives</h2>
      {of === null ? (
        <Skeleton heightPx={160} />
      ) : (
        <>
          <div class={isReading ? 'letter dimmed' : 'letter'}>
            <p class="letter-subject">{of.subject}</p>
            <p class="letter-text">{of.message}</p>
          </div>
          <p class="muted">
            <Basis of={of} />
          </p>
        </>
      )}
    </section>
  )
}

function Basis({ of: { based_on, slo_name } }: { of: TemplatePreview }) {
  if (based_on === null) return <>With sample data: there has been no notification of this kind yet.</>
  return (
    <>
      With the last notification of this kind:{' '}
      <a href={link(`/notify/history?open=${based_on.notification_id}`)}>{slo_name}</a>
      , <Time ms={Date.parse(based_on.created_at)} />.
    </>
  )
}
