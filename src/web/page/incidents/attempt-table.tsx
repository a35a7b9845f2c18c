import type { Attempts } from '../api/history.ts'
import { asSentence, formatTook } from '../format.ts'
import { Time } from '../ui/time.tsx'

const outcomes: Record<string, string> = {
  delivered: 'Delivered',
  sent: 'Taken by a relay',
  retry: 'Failed, tried again',
  failed: 'Failed',
}

/** Attempts to deliver a notification, with the receiver's answer. */
export function AttemptTable({ of }: { of: Attempts['attempts'] }) {
  return (
    <table class="rows attempts">
      <caption class="hidden-text">Attempts</caption>
      <thead>
        <tr>
          <th scope="col">Attempt</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="number">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ id, attempted_at, outcome, status_code, error, duration_ms }) => (
          <tr key={id}>
            <th scope="row">
              <Time ms={Date.parse(attempted_at)} />
            </th>
            <td data-label="Outcome">
              <div class={error === null ? undefined : 'crit-text'}>
                {outcomes[outcome] ?? outcome}
                {error === null ? status_code !== null && ` (${status_code})` : `: ${asSentence(error)}`}
              </div>
            </td>
            <td data-label="Took" class="number">
              {formatTook(duration_ms)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
