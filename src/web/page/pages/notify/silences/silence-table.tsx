import type { Silence } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import { formatDuration } from '../../../format.ts'
import { changeSilence, openSilence } from '../../../silence/request.ts'
import { endSilences, labelText } from '../../../silence/send.ts'
import { Button } from '../../../ui/button.tsx'
import { Time } from '../../../ui/time.tsx'

/** Table of silences: scope, times, reason and author, and the possible actions. */
export function SilenceTable(props: { silences: readonly Silence[]; label: string; unavailable: string | undefined }) {
  const { silences, label, unavailable } = props
  return (
    <table class="rows silences">
      <caption class="hidden-text">{label}</caption>
      <thead>
        <tr>
          <th scope="col">Silenced</th>
          <th scope="col">From</th>
          <th scope="col">Until</th>
          <th scope="col">Reason</th>
          <th scope="col">By</th>
          <th scope="col">
            <span class="hidden-text">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {silences.map((silence) => (
          <Row key={silence.id} silence={silence} unavailable={unavailable} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ silence, unavailable }: { silence: Silence; unavailable: string | undefined }) {
  const { id, slo_id, slo_name, labels, state, starts_at, until, comment, slo_count, created_by_name } = silence
  const name = labels ? labelText(labels) : (slo_name ?? `SLO ${slo_id}`)
  const [fromMs, untilMs] = [Date.parse(starts_at), Date.parse(until)]
  return (
    <tr>
      <th scope="row">
        {slo_id === null ? name : <a href={link(`/slos/${slo_id}`)}>{name}</a>}
        {labels && <span class="muted">{` · ${slo_count === 1 ? '1 SLO' : `${slo_count} SLOs`}`}</span>}
      </th>
      <td data-label="From">
        <Time ms={fromMs} />
      </td>
      <td data-label="Until">
        <span>
          <Time ms={untilMs} />{' '}
          {state === 'expired' && <span class="muted">{`(${formatDuration((untilMs - fromMs) / 1000)})`}</span>}
        </span>
      </td>
      <td data-label="Reason">{comment}</td>
      <td data-label="By">{created_by_name ?? '–'}</td>
      <td class="row-actions">
        <div>
          {state === 'expired' ? (
            <Button
              small
              unavailable={unavailable}
              aria-label={`Silence ${name} again`}
              onClick={() => openSilence({ sloId: slo_id ?? undefined, labels: labels ?? undefined })}
            >
              Again
            </Button>
          ) : (
            <>
              <Button
                small
                unavailable={unavailable}
                aria-label={`Change the silence of ${name}`}
                onClick={() => changeSilence(silence)}
              >
                Change
              </Button>
              <Button
                small
                unavailable={unavailable}
                aria-label={`End now: the silence of ${name}`}
                onClick={() => void endSilences([id])}
              >
                End now
              </Button>
            </>
          )}
        </div>
      </td>
    </tr>
  )
}
